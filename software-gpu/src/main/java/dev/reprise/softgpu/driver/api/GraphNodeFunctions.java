package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUDA_HOST_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_KERNEL_NODE_PARAMS_v2;
import dev.reprise.bindings.cuda.CUDA_MEMCPY3D;
import dev.reprise.bindings.cuda.CUDA_MEMSET_NODE_PARAMS;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.graph.ChildGraph;
import dev.reprise.softgpu.driver.graph.Graph;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.operation.Copy;
import dev.reprise.softgpu.driver.operation.EmptyOperation;
import dev.reprise.softgpu.driver.operation.Fill;
import dev.reprise.softgpu.driver.operation.HostCall;
import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.operation.LaunchCluster;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.engine.Dim3;
import dev.reprise.softgpu.engine.LaunchRequest;
import java.lang.foreign.MemorySegment;

/** Nodes of graphs: adding them, and reading and replacing their parameters. */
final class GraphNodeFunctions extends Functions {

  GraphNodeFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuGraphAddKernelNode_v2(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      MemorySegment params) {
    Context context = context();
    return GraphHandles.addNode(
        this, phNode, hGraph, dependencies, count, NodeParameters.kernel(this, context, params));
  }

  int cuGraphAddMemcpyNode(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      MemorySegment params,
      MemorySegment ctx) {
    return GraphHandles.addNode(
        this, phNode, hGraph, dependencies, count, NodeParameters.copy(context(ctx), params));
  }

  int cuGraphAddMemsetNode(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      MemorySegment params,
      MemorySegment ctx) {
    return GraphHandles.addNode(
        this, phNode, hGraph, dependencies, count, NodeParameters.fill(context(ctx), params));
  }

  int cuGraphAddHostNode(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      MemorySegment params) {
    return GraphHandles.addNode(
        this, phNode, hGraph, dependencies, count, NodeParameters.host(params));
  }

  int cuGraphAddEmptyNode(
      MemorySegment phNode, MemorySegment hGraph, MemorySegment dependencies, long count) {
    return GraphHandles.addNode(this, phNode, hGraph, dependencies, count, EmptyOperation.INSTANCE);
  }

  int cuGraphAddChildGraphNode(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      MemorySegment childGraph) {
    Graph child = GraphHandles.graph(this, childGraph, "childGraph");
    return GraphHandles.addNode(
        this, phNode, hGraph, dependencies, count, NodeParameters.child(this, hGraph, child));
  }

  private Context context(MemorySegment ctx) {
    return NodeParameters.context(this, ctx);
  }

  int cuGraphChildGraphNodeGetGraph(MemorySegment hNode, MemorySegment phGraph) {
    ChildGraph child = operation(hNode, ChildGraph.class);
    CallerMemory.writeLong(phGraph, "phGraph", child.graph().handle());
    return SUCCESS;
  }

  int cuGraphKernelNodeGetParams_v2(MemorySegment hNode, MemorySegment params) {
    Node node = GraphHandles.node(this, hNode, "hNode");
    KernelLaunch launch = operation(hNode, KernelLaunch.class);
    MemorySegment p =
        CallerMemory.struct(params, CUDA_KERNEL_NODE_PARAMS_v2.sizeof(), "nodeParams");
    LaunchRequest request = launch.request();
    p.fill((byte) 0);
    CUDA_KERNEL_NODE_PARAMS_v2.func(p, MemorySegment.ofAddress(launch.function().handle()));
    Dim3 grid = LaunchCluster.named(launch.function(), request.grid());
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimX(p, grid.x());
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimY(p, grid.y());
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimZ(p, grid.z());
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimX(p, request.block().x());
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimY(p, request.block().y());
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimZ(p, request.block().z());
    CUDA_KERNEL_NODE_PARAMS_v2.sharedMemBytes(p, request.dynamicSharedBytes());
    CUDA_KERNEL_NODE_PARAMS_v2.kernelParams(p, NativeParameters.of(node, launch));
    return SUCCESS;
  }

  int cuGraphKernelNodeSetParams_v2(MemorySegment hNode, MemorySegment params) {
    operation(hNode, KernelLaunch.class);
    return set(hNode, NodeParameters.kernel(this, context(), params));
  }

  int cuGraphMemcpyNodeGetParams(MemorySegment hNode, MemorySegment params) {
    Copy copy = operation(hNode, Copy.class);
    MemorySegment p = CallerMemory.struct(params, CUDA_MEMCPY3D.sizeof(), "nodeParams");
    NodeParameters.write(copy, p);
    return SUCCESS;
  }

  int cuGraphMemcpyNodeSetParams(MemorySegment hNode, MemorySegment params) {
    operation(hNode, Copy.class);
    return set(hNode, NodeParameters.copy(context(), params));
  }

  int cuGraphMemsetNodeGetParams(MemorySegment hNode, MemorySegment params) {
    Fill fill = operation(hNode, Fill.class);
    MemorySegment p = CallerMemory.struct(params, CUDA_MEMSET_NODE_PARAMS.sizeof(), "nodeParams");
    CUDA_MEMSET_NODE_PARAMS.dst(p, fill.destination().address());
    CUDA_MEMSET_NODE_PARAMS.pitch(p, fill.destination().pitch());
    CUDA_MEMSET_NODE_PARAMS.value(p, fill.value());
    CUDA_MEMSET_NODE_PARAMS.elementSize(p, fill.elementSize());
    CUDA_MEMSET_NODE_PARAMS.width(p, fill.width());
    CUDA_MEMSET_NODE_PARAMS.height(p, fill.height());
    return SUCCESS;
  }

  int cuGraphMemsetNodeSetParams(MemorySegment hNode, MemorySegment params) {
    operation(hNode, Fill.class);
    return set(hNode, NodeParameters.fill(context(), params));
  }

  int cuGraphHostNodeGetParams(MemorySegment hNode, MemorySegment params) {
    HostCall call = operation(hNode, HostCall.class);
    MemorySegment p = CallerMemory.struct(params, CUDA_HOST_NODE_PARAMS.sizeof(), "nodeParams");
    CUDA_HOST_NODE_PARAMS.fn(p, call.function());
    CUDA_HOST_NODE_PARAMS.userData(p, call.userData());
    return SUCCESS;
  }

  int cuGraphHostNodeSetParams(MemorySegment hNode, MemorySegment params) {
    operation(hNode, HostCall.class);
    return set(hNode, NodeParameters.host(params));
  }

  private int set(MemorySegment hNode, Operation replacement) {
    Node node = GraphHandles.node(this, hNode, "hNode");
    LaunchAttributes.checkKept(context(), node.operation(), replacement);
    node.graph().replace(node, replacement);
    return SUCCESS;
  }

  private <T extends Operation> T operation(MemorySegment hNode, Class<T> type) {
    Node node = GraphHandles.node(this, hNode, "hNode");
    if (!type.isInstance(node.operation())) {
      throw CudaFailure.invalidValue(node + " is of type " + node.type());
    }
    return type.cast(node.operation());
  }
}
