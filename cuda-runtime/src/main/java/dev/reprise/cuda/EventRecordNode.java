package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Records an event at each replay, behind the nodes it depends on. See CUDA Driver API, "Graph
 * Management", {@code cuGraphAddEventRecordNode}.
 */
public final class EventRecordNode extends GraphNode {

  EventRecordNode(Graph graph, MemorySegment value, @Nullable ChildGraphNode parent) {
    super(graph, value, GraphNodeType.EVENT_RECORD, parent);
  }

  /**
   * Makes it another event ({@code cuGraphEventRecordNodeSetEvent}). Graphs that were instantiated
   * before do not change, see {@link GraphExec#set(EventRecordNode, Event)}.
   */
  public void set(Event event) {
    graph()
        .change(
            this,
            uses -> graph().enterRecord(event, uses),
            () -> GraphNodeCalls.setEventRecord(graph().context(), value(), event.handle()));
  }
}
