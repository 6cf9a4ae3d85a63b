package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.CUDA_CONDITIONAL_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUgraphNodeParams;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Checked calls of CUDA Driver API, "Graph Management", about conditional nodes, which drivers have
 * from CUDA 12.4 on; an else and a switch from 12.8 on.
 */
final class ConditionalCalls {

  private ConditionalCalls() {}

  static ConditionalHandle createHandle(Graph graph, OptionalInt defaultValue) {
    Context context = graph.context();
    int flags = defaultValue.isPresent() ? cuda_h.CU_GRAPH_COND_ASSIGN_DEFAULT() : 0;
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code =
        cuda_h.cuGraphConditionalHandleCreate(
            scratch.first, graph.driverGraph(), context.handle(), defaultValue.orElse(0), flags);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuGraphConditionalHandleCreate", "graph", graph.label(), "default", defaultValue);
    }
    return new ConditionalHandle(graph, scratch.firstLong(), defaultValue);
  }

  /** A node and its bodies. */
  record Added(MemorySegment node, List<MemorySegment> bodies) {}

  static Added add(
      Context context,
      MemorySegment graph,
      ConditionalKind kind,
      ConditionalHandle handle,
      int size,
      MemorySegment dependencies,
      long count) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = arena.allocate(CUgraphNodeParams.layout());
      CUgraphNodeParams.type(params, GraphNodeType.CONDITIONAL.code());
      MemorySegment conditional = CUgraphNodeParams.conditional(params);
      CUDA_CONDITIONAL_NODE_PARAMS.handle(conditional, handle.value());
      CUDA_CONDITIONAL_NODE_PARAMS.type(conditional, kind.code());
      CUDA_CONDITIONAL_NODE_PARAMS.size(conditional, size);
      CUDA_CONDITIONAL_NODE_PARAMS.ctx(conditional, context.handle());
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code =
          cuda_h.cuGraphAddNode_v2(
              scratch.first, graph, dependencies, MemorySegment.NULL, count, params);
      if (code != Failures.SUCCESS) {
        throw Failures.of(
            code, "cuGraphAddNode_v2", "conditional", kind, "bodies", size, "handle", handle);
      }
      MemorySegment given =
          CUDA_CONDITIONAL_NODE_PARAMS
              .phGraph_out(conditional)
              .reinterpret(JAVA_LONG.byteSize() * size);
      List<MemorySegment> bodies = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        bodies.add(MemorySegment.ofAddress(given.getAtIndex(JAVA_LONG, i)));
      }
      return new Added(scratch.firstHandle(), bodies);
    }
  }
}
