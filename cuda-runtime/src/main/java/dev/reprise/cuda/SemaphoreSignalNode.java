package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A node that signals an external semaphore. See CUDA Driver API, "Graph Management", {@code
 * cuGraphAddExternalSemaphoresSignalNode}.
 */
public final class SemaphoreSignalNode extends GraphNode {

  SemaphoreSignalNode(Graph graph, MemorySegment value, @Nullable ChildGraphNode parent) {
    super(graph, value, GraphNodeType.SEMAPHORE_SIGNAL, parent);
  }

  /**
   * Gives it another semaphore or value ({@code cuGraphExternalSemaphoresSignalNodeSetParams}).
   * Graphs that were instantiated before do not change, see {@link
   * GraphExec#set(SemaphoreSignalNode, ExternalSemaphore, long)}.
   */
  public void set(ExternalSemaphore semaphore, long number) {
    SemaphoreUse use = new SemaphoreUse(semaphore, number, true);
    graph()
        .change(
            this,
            uses -> use.enter(graph().context(), uses),
            () -> SemaphoreCalls.set(graph().context(), value(), use));
  }
}
