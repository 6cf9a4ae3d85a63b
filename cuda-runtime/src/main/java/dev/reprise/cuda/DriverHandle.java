package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.HandleNode;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A node whose driver object is an opaque handle in a context. */
abstract class DriverHandle extends HandleNode {

  private final Context context;
  private final MemorySegment value;

  DriverHandle(
      ResourceKind kind,
      String label,
      Context context,
      MemorySegment value,
      List<? extends HandleNode> retainedParents) {
    super(kind, label, context.retirement(), retainedParents);
    this.context = context;
    this.value = value;
  }

  final Context context() {
    return context;
  }

  final MemorySegment value() {
    return value;
  }
}
