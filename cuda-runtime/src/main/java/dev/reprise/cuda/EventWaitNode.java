package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Lets what depends on it wait for an event, as it was last recorded when the replay was issued.
 * See CUDA Driver API, "Graph Management", {@code cuGraphAddEventWaitNode}.
 */
public final class EventWaitNode extends GraphNode {

  EventWaitNode(Graph graph, MemorySegment value, @Nullable ChildGraphNode parent) {
    super(graph, value, GraphNodeType.EVENT_WAIT, parent);
  }

  /**
   * Makes it another event ({@code cuGraphEventWaitNodeSetEvent}). Graphs that were instantiated
   * before do not change, see {@link GraphExec#set(EventWaitNode, Event)}.
   */
  public void set(Event event) {
    graph()
        .change(
            this,
            uses -> graph().enterWait(event, uses),
            () -> GraphNodeCalls.setEventWait(graph().context(), value(), event.handle()));
  }
}
