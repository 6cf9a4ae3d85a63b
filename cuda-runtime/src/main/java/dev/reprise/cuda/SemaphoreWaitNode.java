package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A node that waits for an external semaphore. See CUDA Driver API, "Graph Management", {@code
 * cuGraphAddExternalSemaphoresWaitNode}.
 */
public final class SemaphoreWaitNode extends GraphNode {

  SemaphoreWaitNode(Graph graph, MemorySegment value, @Nullable ChildGraphNode parent) {
    super(graph, value, GraphNodeType.SEMAPHORE_WAIT, parent);
  }

  /**
   * Gives it another semaphore or value ({@code cuGraphExternalSemaphoresWaitNodeSetParams}).
   * Graphs that were instantiated before do not change, see {@link GraphExec#set(SemaphoreWaitNode,
   * ExternalSemaphore, long)}.
   */
  public void set(ExternalSemaphore semaphore, long number) {
    SemaphoreUse use = new SemaphoreUse(semaphore, number, false);
    graph()
        .change(
            this,
            uses -> use.enter(graph().context(), uses),
            () -> SemaphoreCalls.set(graph().context(), value(), use));
  }
}
