package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The objects that stand for the nodes of a graph, one for each. Guarded by the graph's lock. */
final class GraphNodes {

  private final Graph graph;
  private final Map<Long, GraphNode> known = new HashMap<>();

  GraphNodes(Graph graph) {
    this.graph = graph;
  }

  /** Notes the object for a node that was just made. */
  void put(GraphNode node) {
    known.put(node.value().address(), node);
  }

  /** Drops the objects for nodes that are gone. */
  void forgetRemoved() {
    known.values().removeIf(GraphNode::isRemoved);
  }

  /** The objects for nodes of the graph, or of one of its child graphs. */
  List<GraphNode> of(Collection<MemorySegment> values, @Nullable ChildGraphNode parent) {
    return values.stream().map(value -> of(value, parent)).toList();
  }

  private GraphNode of(MemorySegment value, @Nullable ChildGraphNode parent) {
    GraphNode node = known.get(value.address());
    if (node == null) {
      node = make(value, parent);
      put(node);
    }
    return node;
  }

  private GraphNode make(MemorySegment value, @Nullable ChildGraphNode parent) {
    GraphNodeType type = GraphNodeCalls.type(graph.context(), value);
    return switch (type) {
      case KERNEL -> new KernelNode(graph, value, parent);
      case MEMCPY -> new CopyNode(graph, value, parent);
      case MEMSET -> new FillNode(graph, value, parent);
      case HOST -> new HostNode(graph, value, parent);
      case CHILD_GRAPH -> new ChildGraphNode(graph, value, parent);
      case EMPTY -> new EmptyNode(graph, value, parent);
      case BATCH_MEMORY_OPERATION -> new BatchMemoryNode(graph, value, parent);
      case EVENT_RECORD -> new EventRecordNode(graph, value, parent);
      case EVENT_WAIT -> new EventWaitNode(graph, value, parent);
      case SEMAPHORE_SIGNAL -> new SemaphoreSignalNode(graph, value, parent);
      case SEMAPHORE_WAIT -> new SemaphoreWaitNode(graph, value, parent);
      case MEMORY_ALLOCATION -> new MemoryAllocNode(graph, value, parent);
      case MEMORY_FREE -> new MemoryFreeNode(graph, value, parent);
      // No driver tells the bodies of a conditional node, so one that this library did not add
      // cannot be more than any other.
      default -> new OtherNode(graph, value, type, parent);
    };
  }

  /** The object for a node among these or inside of them, at any depth; null if it is nowhere. */
  static @Nullable GraphNode find(List<GraphNode> among, long value) {
    for (GraphNode node : among) {
      if (node.value().address() == value) {
        return node;
      }
      GraphNode inside =
          switch (node) {
            case ChildGraphNode child -> find(child.nodes(), value);
            case ConditionalNode conditional -> findInBodies(conditional, value);
            default -> null;
          };
      if (inside != null) {
        return inside;
      }
    }
    return null;
  }

  private static @Nullable GraphNode findInBodies(ConditionalNode conditional, long value) {
    for (Graph body : conditional.bodies()) {
      GraphNode inside = find(body.nodes(), value);
      if (inside != null) {
        return inside;
      }
    }
    return null;
  }
}
