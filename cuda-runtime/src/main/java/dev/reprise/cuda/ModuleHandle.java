package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.HandleNode;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Code in one context. */
abstract class ModuleHandle extends DriverHandle {

  ModuleHandle(
      String label,
      Context context,
      MemorySegment value,
      List<? extends HandleNode> retainedParents) {
    super(ResourceKind.MODULE, label, context, value, retainedParents);
  }

  /** What the driver's compiler said. */
  abstract String log();

  /** The function of a name. */
  abstract MemorySegment function(String name);
}
