package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUDA_GRAPH_INSTANTIATE_PARAMS;
import dev.reprise.bindings.cuda.CUgraphExecUpdateResultInfo;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.graph.ChildGraph;
import dev.reprise.softgpu.driver.graph.Conditional;
import dev.reprise.softgpu.driver.graph.Graph;
import dev.reprise.softgpu.driver.graph.GraphExec;
import dev.reprise.softgpu.driver.graph.GraphUpdate;
import dev.reprise.softgpu.driver.graph.Nesting;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.operation.LaunchCluster;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.rules.OpenRule;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Executable graphs: instantiation, upload, launch, update. */
final class GraphExecFunctions extends Functions {

  private static final long UPLOAD = 2;
  private static final long DEVICE_LAUNCH = 4;

  private static final int INSTANTIATE_SUCCESS = 0;
  private static final int INSTANTIATE_INVALID_STRUCTURE = 2;
  private static final int INSTANTIATE_CONDITIONAL_HANDLE_UNUSED = 5;

  GraphExecFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuGraphInstantiateWithFlags(MemorySegment phGraphExec, MemorySegment hGraph, long flags) {
    context();
    if ((flags & UPLOAD) != 0) {
      throw CudaFailure.invalidValue("uploading needs cuGraphInstantiateWithParams");
    }
    CallerMemory.required(phGraphExec, "phGraphExec");
    GraphExec exec = instantiate(hGraph, flags);
    CallerMemory.writeLong(phGraphExec, "phGraphExec", exec.handle());
    return SUCCESS;
  }

  int cuGraphInstantiateWithParams(
      MemorySegment phGraphExec, MemorySegment hGraph, MemorySegment params) {
    Context context = context();
    MemorySegment p =
        CallerMemory.struct(params, CUDA_GRAPH_INSTANTIATE_PARAMS.sizeof(), "instantiateParams");
    CallerMemory.required(phGraphExec, "phGraphExec");
    long flags = CUDA_GRAPH_INSTANTIATE_PARAMS.flags(p);
    Stream uploadStream =
        (flags & UPLOAD) == 0
            ? null
            : stream(context, CUDA_GRAPH_INSTANTIATE_PARAMS.hUploadStream(p));
    CUDA_GRAPH_INSTANTIATE_PARAMS.hErrNode_out(p, MemorySegment.NULL);
    boolean unused = !GraphHandles.graph(this, hGraph, "hGraph").usesAllConditions();
    CUDA_GRAPH_INSTANTIATE_PARAMS.result_out(
        p, unused ? INSTANTIATE_CONDITIONAL_HANDLE_UNUSED : INSTANTIATE_INVALID_STRUCTURE);
    GraphExec exec = instantiate(hGraph, flags);
    CUDA_GRAPH_INSTANTIATE_PARAMS.result_out(p, INSTANTIATE_SUCCESS);
    CallerMemory.writeLong(phGraphExec, "phGraphExec", exec.handle());
    if (uploadStream != null) {
      upload(exec, uploadStream);
    }
    return SUCCESS;
  }

  private GraphExec instantiate(MemorySegment hGraph, long flags) {
    Graph graph = GraphHandles.graph(this, hGraph, "hGraph");
    if ((flags
            & ~(GraphExec.AUTO_FREE_ON_LAUNCH
                | UPLOAD
                | DEVICE_LAUNCH
                | GraphExec.USE_NODE_PRIORITY))
        != 0) {
      throw CudaFailure.invalidValue("instantiation flags 0x%x".formatted(flags));
    }
    if ((flags & DEVICE_LAUNCH) != 0) {
      throw CudaFailure.notSupported("launching a graph from the device");
    }
    if (captures().isWriting(graph)) {
      throw CudaFailure.invalidValue(graph + " is being captured");
    }
    if (graph.holder() != null && graph.holder().operation() instanceof Conditional) {
      throw CudaFailure.invalidValue(graph + " is the body of a conditional node");
    }
    if (!graph.usesAllConditions()) {
      throw CudaFailure.invalidValue(graph + " has a conditional handle without a node");
    }
    checkClusters(graph);
    return handles().publish(new GraphExec(handles(), memory(context()), graph, flags));
  }

  /** Kernels that must be launched in clusters have got one by now. */
  private static void checkClusters(Graph graph) {
    for (Node node : graph.nodes()) {
      switch (node.operation()) {
        case KernelLaunch launch -> LaunchCluster.checkNamed(launch);
        case Nesting nesting -> nesting.graphs().forEach(GraphExecFunctions::checkClusters);
        default -> {}
      }
    }
  }

  int cuGraphExecDestroy(MemorySegment hGraphExec) {
    GraphHandles.exec(this, hGraphExec).destroy(gpu().callbacks());
    return SUCCESS;
  }

  int cuGraphExecGetFlags(MemorySegment hGraphExec, MemorySegment flags) {
    CallerMemory.writeLong(flags, "flags", GraphHandles.exec(this, hGraphExec).flags());
    return SUCCESS;
  }

  int cuGraphUpload(MemorySegment hGraphExec, MemorySegment hStream) {
    Stream stream = stream(context(), hStream);
    GraphExec exec = GraphHandles.exec(this, hGraphExec);
    if (captures().capturing(stream)) {
      throw new CudaFailure(Result.STREAM_CAPTURE_UNSUPPORTED, "a graph upload cannot be captured");
    }
    upload(exec, stream);
    return SUCCESS;
  }

  /**
   * Everything but graph memory is where it runs already; what remains of an upload is its place in
   * the stream.
   */
  private static void upload(GraphExec exec, Stream stream) {
    exec.upload();
    stream.submit(() -> {}, List.of(exec.lastLaunch()));
  }

  int cuGraphLaunch(MemorySegment hGraphExec, MemorySegment hStream) {
    Stream stream = stream(context(), hStream);
    GraphExec exec = GraphHandles.exec(this, hGraphExec);
    if (captures().capturing(stream)) {
      if (gpu().rules().takesSecond(OpenRule.GRAPH_LAUNCH)) {
        guard().checkNotCapturing(stream, "a graph launch");
      }
      stream.perform(new ChildGraph(handles().publish(exec.asGraph())));
    } else {
      exec.launch(stream.context(), stream::submit);
    }
    return SUCCESS;
  }

  int cuGraphExecUpdate_v2(
      MemorySegment hGraphExec, MemorySegment hGraph, MemorySegment resultInfo) {
    context();
    GraphExec exec = GraphHandles.exec(this, hGraphExec);
    Graph graph = GraphHandles.graph(this, hGraph, "hGraph");
    MemorySegment info =
        CallerMemory.struct(resultInfo, CUgraphExecUpdateResultInfo.sizeof(), "resultInfo");
    GraphUpdate.Outcome outcome = exec.update(graph, gpu().callbacks());
    CUgraphExecUpdateResultInfo.result(info, outcome.verdict().code());
    CUgraphExecUpdateResultInfo.errorNode(info, handle(outcome.node()));
    CUgraphExecUpdateResultInfo.errorFromNode(info, handle(outcome.from()));
    return outcome.verdict() == GraphUpdate.Verdict.SUCCESS
        ? SUCCESS
        : Result.GRAPH_EXEC_UPDATE_FAILURE.code();
  }

  private static MemorySegment handle(@Nullable Node node) {
    return node == null ? MemorySegment.NULL : MemorySegment.ofAddress(node.handle());
  }

  int cuGraphExecKernelNodeSetParams_v2(
      MemorySegment hGraphExec, MemorySegment hNode, MemorySegment params) {
    return replace(hGraphExec, hNode, NodeParameters.kernel(this, context(), params));
  }

  int cuGraphExecMemcpyNodeSetParams(
      MemorySegment hGraphExec, MemorySegment hNode, MemorySegment params, MemorySegment ctx) {
    return replace(hGraphExec, hNode, NodeParameters.copy(context(), params));
  }

  int cuGraphExecMemsetNodeSetParams(
      MemorySegment hGraphExec, MemorySegment hNode, MemorySegment params, MemorySegment ctx) {
    return replace(hGraphExec, hNode, NodeParameters.fill(context(), params));
  }

  int cuGraphExecHostNodeSetParams(
      MemorySegment hGraphExec, MemorySegment hNode, MemorySegment params) {
    return replace(hGraphExec, hNode, NodeParameters.host(params));
  }

  int cuGraphExecChildGraphNodeSetParams(
      MemorySegment hGraphExec, MemorySegment hNode, MemorySegment childGraph) {
    context();
    GraphExec exec = GraphHandles.exec(this, hGraphExec);
    Node node = GraphHandles.node(this, hNode, "hNode");
    Graph graph = GraphHandles.graph(this, childGraph, "childGraph");
    GraphUpdate.Outcome outcome = exec.updateChild(node, graph, gpu().callbacks());
    if (outcome.verdict() != GraphUpdate.Verdict.SUCCESS) {
      throw CudaFailure.invalidValue(
          "%s does not fit the child graph: %s".formatted(graph, outcome.verdict()));
    }
    return SUCCESS;
  }

  private int replace(MemorySegment hGraphExec, MemorySegment hNode, Operation replacement) {
    GraphExec exec = GraphHandles.exec(this, hGraphExec);
    Node node = GraphHandles.node(this, hNode, "hNode");
    Operation old = exec.operation(node);
    if (!GraphUpdate.compatible(old, replacement)) {
      throw CudaFailure.invalidValue(
          "%s cannot become %s".formatted(old.describe(), replacement.describe()));
    }
    LaunchAttributes.checkKept(context(), old, replacement);
    exec.replace(node, replacement);
    return SUCCESS;
  }

  int cuGraphNodeSetEnabled(MemorySegment hGraphExec, MemorySegment hNode, int enabled) {
    GraphHandles.exec(this, hGraphExec)
        .enable(GraphHandles.node(this, hNode, "hNode"), enabled != 0);
    return SUCCESS;
  }

  int cuGraphNodeGetEnabled(
      MemorySegment hGraphExec, MemorySegment hNode, MemorySegment isEnabled) {
    boolean enabled =
        GraphHandles.exec(this, hGraphExec).enabled(GraphHandles.node(this, hNode, "hNode"));
    CallerMemory.writeInt(isEnabled, "isEnabled", enabled ? 1 : 0);
    return SUCCESS;
  }
}
