package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUDA_CONDITIONAL_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUgraphNodeParams;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.graph.Condition;
import dev.reprise.softgpu.driver.graph.Conditional;
import dev.reprise.softgpu.driver.graph.Graph;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/** Conditional nodes: their handles, and adding them with their bodies. */
final class ConditionalFunctions extends Functions {

  private static final int ASSIGN_DEFAULT = 1;
  private static final int LARGEST_SIZE = 1 << 16;

  /** The arrays of bodies that callers may read as long as the node lives. */
  private static final Map<Node, MemorySegment> GIVEN_OUT = new WeakHashMap<>();

  ConditionalFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuGraphConditionalHandleCreate(
      MemorySegment pHandle, MemorySegment hGraph, MemorySegment ctx, int value, int flags) {
    Graph graph = GraphHandles.graph(this, hGraph, "hGraph");
    CallerMemory.required(pHandle, "pHandle_out");
    if ((flags & ~ASSIGN_DEFAULT) != 0) {
      throw CudaFailure.invalidValue(
          "flags 0x%x; they are 0 or CU_GRAPH_COND_ASSIGN_DEFAULT".formatted(flags));
    }
    Context context = NodeParameters.context(this, ctx);
    Condition condition = new Condition(memory(context), context, value, flags == ASSIGN_DEFAULT);
    graph.own(condition);
    CallerMemory.writeLong(pHandle, "pHandle_out", condition.handle());
    return SUCCESS;
  }

  /** Adds a conditional node with empty bodies and writes where the caller finds them. */
  static int add(
      Functions functions,
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      MemorySegment edgeData,
      long count,
      MemorySegment nodeParams) {
    MemorySegment params = CUgraphNodeParams.conditional(nodeParams);
    Graph graph = GraphHandles.graph(functions, hGraph, "hGraph");
    Conditional.Kind kind = kind(params);
    int size = CUDA_CONDITIONAL_NODE_PARAMS.size(params);
    if (size < 1 || size > Math.min(kind.mostBodies(), LARGEST_SIZE)) {
      throw CudaFailure.invalidValue(
          "%s with %s bodies".formatted(kind, Integer.toUnsignedString(size)));
    }
    Context context = NodeParameters.context(functions, CUDA_CONDITIONAL_NODE_PARAMS.ctx(params));
    Condition condition = condition(graph, CUDA_CONDITIONAL_NODE_PARAMS.handle(params), context);
    if (!condition.claim()) {
      throw CudaFailure.invalidValue(
          "conditional handle 0x%x has a node already".formatted(condition.handle()));
    }
    List<Graph> bodies = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      bodies.add(graph.inner());
    }
    Conditional conditional = new Conditional(kind, condition, context, List.copyOf(bodies));
    try {
      int code =
          GraphHandles.addNode(
              functions, phNode, hGraph, dependencies, edgeData, count, conditional);
      CUDA_CONDITIONAL_NODE_PARAMS.phGraph_out(params, array(bodies));
      return code;
    } catch (CudaFailure e) {
      bodies.forEach(Graph::destroy);
      condition.unclaim();
      throw e;
    }
  }

  private static Conditional.Kind kind(MemorySegment params) {
    int type = CUDA_CONDITIONAL_NODE_PARAMS.type(params);
    Conditional.Kind[] kinds = Conditional.Kind.values();
    if (type < 0 || type >= kinds.length) {
      throw CudaFailure.invalidValue("there is no conditional node type " + type);
    }
    return kinds[type];
  }

  private static Condition condition(Graph graph, long handle, Context context) {
    Condition condition = graph.condition(handle);
    if (condition == null) {
      throw CudaFailure.invalidValue(
          "conditional handle 0x%x was not made for %s or one around it".formatted(handle, graph));
    }
    if (condition.context() != context) {
      throw CudaFailure.invalidValue(
          "conditional handle 0x%x belongs to %s, not %s"
              .formatted(handle, condition.context(), context));
    }
    return condition;
  }

  private static MemorySegment array(List<Graph> bodies) {
    MemorySegment array = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, bodies.size());
    for (int i = 0; i < bodies.size(); i++) {
      array.setAtIndex(ValueLayout.JAVA_LONG, i, bodies.get(i).handle());
    }
    Node holder = bodies.get(0).holder();
    synchronized (GIVEN_OUT) {
      GIVEN_OUT.put(holder, array);
    }
    return array;
  }
}
