package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUDA_CHILD_GRAPH_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_EVENT_RECORD_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_EVENT_WAIT_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_MEMCPY_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_MEMSET_NODE_PARAMS_v2;
import dev.reprise.bindings.cuda.CUDA_MEM_FREE_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUgraphNodeParams;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.EventRecord;
import dev.reprise.softgpu.driver.context.EventWait;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.graph.Graph;
import dev.reprise.softgpu.driver.graph.GraphExec;
import dev.reprise.softgpu.driver.graph.GraphUpdate;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.operation.EmptyOperation;
import dev.reprise.softgpu.driver.operation.NodeType;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;

/** The functions that take the parameters of a node of any type ({@code CUgraphNodeParams}). */
final class GenericNodeFunctions extends Functions {

  private static final int OWNERSHIP_CLONE = 0;

  GenericNodeFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuGraphAddNode(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      MemorySegment params) {
    return add(phNode, hGraph, dependencies, MemorySegment.NULL, count, params);
  }

  int cuGraphAddNode_v2(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      MemorySegment edgeData,
      long count,
      MemorySegment params) {
    return add(phNode, hGraph, dependencies, edgeData, count, params);
  }

  private int add(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      MemorySegment edgeData,
      long count,
      MemorySegment params) {
    MemorySegment p = struct(params);
    Operation operation;
    if (type(p) == NodeType.CONDITIONAL) {
      return ConditionalFunctions.add(this, phNode, hGraph, dependencies, edgeData, count, p);
    }
    if (type(p) == NodeType.CHILD_GRAPH) {
      MemorySegment embedded = CUgraphNodeParams.graph(p);
      if (CUDA_CHILD_GRAPH_NODE_PARAMS.ownership(embedded) != OWNERSHIP_CLONE) {
        throw CudaFailure.notSupported("moving a graph into a child graph node");
      }
      MemorySegment child = CUDA_CHILD_GRAPH_NODE_PARAMS.graph(embedded);
      Graph graph = GraphHandles.graph(this, child, "graph");
      operation = NodeParameters.child(this, hGraph, graph);
    } else if (type(p) == NodeType.MEM_ALLOC) {
      return GraphMemoryFunctions.addAllocation(
          this, phNode, hGraph, dependencies, count, CUgraphNodeParams.alloc(p));
    } else if (type(p) == NodeType.MEM_FREE) {
      long dptr = CUDA_MEM_FREE_NODE_PARAMS.dptr(CUgraphNodeParams.free(p));
      operation = GraphMemoryFunctions.free(this, dptr);
    } else {
      operation = operation(p);
    }
    return GraphHandles.addNode(this, phNode, hGraph, dependencies, edgeData, count, operation);
  }

  int cuGraphNodeSetParams(MemorySegment hNode, MemorySegment params) {
    Node node = GraphHandles.node(this, hNode, "hNode");
    Operation operation = operation(struct(params));
    if (node.type() != operation.type()) {
      throw CudaFailure.invalidValue(node + " is of type " + node.type());
    }
    LaunchAttributes.checkKept(context(), node.operation(), operation);
    node.graph().replace(node, operation);
    return SUCCESS;
  }

  int cuGraphExecNodeSetParams(
      MemorySegment hGraphExec, MemorySegment hNode, MemorySegment params) {
    GraphExec exec = GraphHandles.exec(this, hGraphExec);
    Node node = GraphHandles.node(this, hNode, "hNode");
    Operation operation = operation(struct(params));
    if (!GraphUpdate.compatible(exec.operation(node), operation)) {
      throw CudaFailure.invalidValue(
          "%s cannot become %s".formatted(exec.operation(node).describe(), operation.describe()));
    }
    LaunchAttributes.checkKept(context(), exec.operation(node), operation);
    exec.replace(node, operation);
    return SUCCESS;
  }

  private static MemorySegment struct(MemorySegment params) {
    return CallerMemory.struct(params, CUgraphNodeParams.sizeof(), "nodeParams");
  }

  private static NodeType type(MemorySegment p) {
    int code = CUgraphNodeParams.type(p);
    for (NodeType type : NodeType.values()) {
      if (type.code() == code) {
        return type;
      }
    }
    throw CudaFailure.notSupported("a graph node of type " + code);
  }

  private Operation operation(MemorySegment p) {
    return switch (type(p)) {
      case KERNEL -> NodeParameters.kernel(this, context(), CUgraphNodeParams.kernel(p));
      case MEMCPY -> {
        MemorySegment memcpy = CUgraphNodeParams.memcpy(p);
        Context context = orCurrent(CUDA_MEMCPY_NODE_PARAMS.copyCtx(memcpy));
        yield NodeParameters.copy(context, CUDA_MEMCPY_NODE_PARAMS.copyParams(memcpy));
      }
      case MEMSET -> {
        MemorySegment memset = CUgraphNodeParams.memset(p);
        // The newer struct is the older one with the context behind it.
        yield NodeParameters.fill(orCurrent(CUDA_MEMSET_NODE_PARAMS_v2.ctx(memset)), memset);
      }
      case HOST -> NodeParameters.host(CUgraphNodeParams.host(p));
      case EMPTY -> EmptyOperation.INSTANCE;
      case WAIT_EVENT ->
          new EventWait(
              event(CUDA_EVENT_WAIT_NODE_PARAMS.event(CUgraphNodeParams.eventWait(p)), "event"));
      case EVENT_RECORD ->
          new EventRecord(
              event(
                  CUDA_EVENT_RECORD_NODE_PARAMS.event(CUgraphNodeParams.eventRecord(p)), "event"));
      case EXT_SEMAS_SIGNAL, EXT_SEMAS_WAIT ->
          SemaphoreParameters.ofNode(this, context(), type(p), CUgraphNodeParams.extSemSignal(p));
      case MEM_ALLOC, MEM_FREE ->
          throw CudaFailure.notSupported("changing the parameters of a memory node");
      case BATCH_MEM_OP -> WordOperations.ofNode(this, CUgraphNodeParams.memOp(p));
      case CHILD_GRAPH -> throw CudaFailure.notSupported("replacing a child graph");
      case CONDITIONAL ->
          throw new CudaFailure(
              Result.NOT_SUPPORTED, "the parameters of a conditional node cannot change");
    };
  }

  private Context orCurrent(MemorySegment ctx) {
    return CallerMemory.isNull(ctx) ? context() : NodeParameters.context(this, ctx);
  }
}
