package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.HandleNode;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A driver graph; its parents are all that was captured into it. */
final class GraphHandle extends DriverHandle {

  GraphHandle(
      String label, Context context, MemorySegment value, List<HandleNode> retainedParents) {
    super(ResourceKind.GRAPH, label, context, value, retainedParents);
  }

  @Override
  protected void destroy() {
    GraphCalls.destroy(context(), label(), value());
  }
}
