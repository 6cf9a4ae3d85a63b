package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.CUgraphEdgeData;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Checked calls of CUDA Driver API, "Graph Management", about edges. The functions of CUDA 12.0 are
 * used for graphs whose edges all wait for the whole of a node.
 */
final class GraphEdgeCalls {

  private GraphEdgeCalls() {}

  private static void check(int code, String function, Object... arguments) {
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, function, arguments);
    }
  }

  /** What the driver lists: the nodes at the other ends, and the kinds of the edges. */
  record Ends(List<MemorySegment> nodes, List<EdgeKind> kinds) {}

  /** A driver function that lists edges of a node, with their data or without. */
  private interface Listing {
    int list(MemorySegment array, MemorySegment data, MemorySegment count);
  }

  static Ends dependencies(Context context, MemorySegment node) {
    return list(
        context,
        "cuGraphNodeGetDependencies",
        (array, data, count) ->
            data.address() == 0
                ? cuda_h.cuGraphNodeGetDependencies(node, array, count)
                : cuda_h.cuGraphNodeGetDependencies_v2(node, array, data, count));
  }

  static Ends dependents(Context context, MemorySegment node) {
    return list(
        context,
        "cuGraphNodeGetDependentNodes",
        (array, data, count) ->
            data.address() == 0
                ? cuda_h.cuGraphNodeGetDependentNodes(node, array, count)
                : cuda_h.cuGraphNodeGetDependentNodes_v2(node, array, data, count));
  }

  private static Ends list(Context context, String function, Listing listing) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_LONG);
      context.makeCurrent();
      check(listing.list(MemorySegment.NULL, MemorySegment.NULL, count), function);
      int edges = Math.toIntExact(count.get(JAVA_LONG, 0));
      if (edges == 0) {
        return new Ends(List.of(), List.of());
      }
      MemorySegment array = arena.allocate(JAVA_LONG, edges);
      MemorySegment data = CUgraphEdgeData.allocateArray(edges, arena).fill((byte) 0);
      context.makeCurrent();
      int code = listing.list(array, MemorySegment.NULL, count);
      if (code == cuda_h.CUDA_ERROR_LOSSY_QUERY()) {
        count.set(JAVA_LONG, 0, edges);
        code = listing.list(array, data, count);
      }
      check(code, function);
      List<MemorySegment> nodes = new ArrayList<>(edges);
      List<EdgeKind> kinds = new ArrayList<>(edges);
      for (int i = 0; i < edges; i++) {
        nodes.add(MemorySegment.ofAddress(array.getAtIndex(JAVA_LONG, i)));
        MemorySegment edge = CUgraphEdgeData.asSlice(data, i);
        kinds.add(EdgeKind.of(CUgraphEdgeData.from_port(edge), CUgraphEdgeData.type(edge)));
      }
      return new Ends(nodes, kinds);
    }
  }

  static void add(
      Context context, MemorySegment graph, GraphNode from, GraphNode to, EdgeKind kind) {
    change(
        context,
        "cuGraphAddDependencies",
        from,
        to,
        kind,
        (source, target, data) ->
            data.address() == 0
                ? cuda_h.cuGraphAddDependencies(graph, source, target, 1)
                : cuda_h.cuGraphAddDependencies_v2(graph, source, target, data, 1));
  }

  static void remove(
      Context context, MemorySegment graph, GraphNode from, GraphNode to, EdgeKind kind) {
    change(
        context,
        "cuGraphRemoveDependencies",
        from,
        to,
        kind,
        (source, target, data) ->
            data.address() == 0
                ? cuda_h.cuGraphRemoveDependencies(graph, source, target, 1)
                : cuda_h.cuGraphRemoveDependencies_v2(graph, source, target, data, 1));
  }

  /** A driver function that adds or removes an edge, with its data or without. */
  private interface Change {
    int call(MemorySegment source, MemorySegment target, MemorySegment data);
  }

  private static void change(
      Context context,
      String function,
      GraphNode from,
      GraphNode to,
      EdgeKind kind,
      Change change) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = GraphNodeCalls.array(arena, List.of(from));
      MemorySegment target = GraphNodeCalls.array(arena, List.of(to));
      MemorySegment data = kind == EdgeKind.FULL ? MemorySegment.NULL : data(arena, kind);
      context.makeCurrent();
      int code = change.call(source, target, data);
      check(code, function, "from", from, "to", to, "kind", kind);
    }
  }

  private static MemorySegment data(Arena arena, EdgeKind kind) {
    MemorySegment data = CUgraphEdgeData.allocate(arena).fill((byte) 0);
    CUgraphEdgeData.from_port(data, (byte) kind.fromPort());
    CUgraphEdgeData.type(data, (byte) kind.type());
    return data;
  }
}
