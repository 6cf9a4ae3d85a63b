package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.HandleNode;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A driver graph that can run; its parents are all that was captured into it. */
final class GraphExecHandle extends DriverHandle {

  GraphExecHandle(
      String label, Context context, MemorySegment value, List<HandleNode> retainedParents) {
    super(ResourceKind.GRAPH_EXEC, label, context, value, retainedParents);
  }

  @Override
  protected void destroy() {
    GraphCalls.destroyExec(context(), label(), value());
  }
}
