package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.CUDA_GRAPH_INSTANTIATE_PARAMS;
import dev.reprise.bindings.cuda.CUgraphExecUpdateResultInfo;
import dev.reprise.bindings.cuda.cuda_h;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Checked calls of CUDA Driver API, "Graph Management". */
final class GraphCalls {

  private GraphCalls() {}

  static void destroy(Context context, String label, MemorySegment graph) {
    context.makeCurrent();
    int code = cuda_h.cuGraphDestroy(graph);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphDestroy", "graph", label);
    }
  }

  static int nodeCount(Context context, MemorySegment graph, String label) {
    Scratch scratch = Scratch.get();
    scratch.first.set(JAVA_LONG, 0, 0);
    context.makeCurrent();
    int code = cuda_h.cuGraphGetNodes(graph, MemorySegment.NULL, scratch.first);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphGetNodes", "graph", label);
    }
    return Math.toIntExact(scratch.firstLong());
  }

  static MemorySegment create(Context context, String label) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuGraphCreate(scratch.first, 0);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphCreate", "label", label);
    }
    return scratch.firstHandle();
  }

  static MemorySegment copy(Context context, GraphHandle graph) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuGraphClone(scratch.first, graph.value());
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphClone", "graph", graph.label());
    }
    return scratch.firstHandle();
  }

  /** The node of a copied graph that stands for a node of the original. */
  static long findInCopy(Context context, GraphHandle graph, long node, MemorySegment copy) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuGraphNodeFindInClone(scratch.first, MemorySegment.ofAddress(node), copy);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphNodeFindInClone", "graph", graph.label());
    }
    return scratch.firstLong();
  }

  /** The graph as text, by way of a temporary file, which is all that the driver can write. */
  static String dot(Context context, MemorySegment graph, String label, int flags) {
    try {
      Path file = Files.createTempFile("reprise-graph", ".dot");
      try {
        writeDot(context, graph, label, file, flags);
        return Files.readString(file, StandardCharsets.UTF_8);
      } finally {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void writeDot(
      Context context, MemorySegment graph, String label, Path file, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment path = arena.allocateFrom(file.toString());
      context.makeCurrent();
      int code = cuda_h.cuGraphDebugDotPrint(graph, path, flags);
      if (code != Failures.SUCCESS) {
        throw Failures.of(
            code, "cuGraphDebugDotPrint", "graph", label, "path", file, "flags", flags);
      }
    }
  }

  static MemorySegment instantiate(Context context, GraphHandle graph, InstantiateOptions options) {
    Stream upload = options.uploadOn();
    long flags = 0;
    if (options.autoFreeOnLaunch()) {
      flags |= cuda_h.CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH();
    }
    if (options.useNodePriority()) {
      flags |= cuda_h.CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY();
    }
    if (upload != null) {
      flags |= cuda_h.CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = arena.allocate(CUDA_GRAPH_INSTANTIATE_PARAMS.layout());
      CUDA_GRAPH_INSTANTIATE_PARAMS.flags(params, flags);
      CUDA_GRAPH_INSTANTIATE_PARAMS.hUploadStream(
          params, upload == null ? MemorySegment.NULL : upload.handle().value());
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code = cuda_h.cuGraphInstantiateWithParams(scratch.first, graph.value(), params);
      if (code != Failures.SUCCESS) {
        throw Failures.of(
            code,
            "cuGraphInstantiateWithParams",
            "graph",
            graph.label(),
            "flags",
            flags,
            "reason",
            reason(CUDA_GRAPH_INSTANTIATE_PARAMS.result_out(params)),
            "node",
            "0x%x".formatted(CUDA_GRAPH_INSTANTIATE_PARAMS.hErrNode_out(params).address()));
      }
      return scratch.firstHandle();
    }
  }

  private static String reason(int result) {
    return switch (result) {
      case 1 -> "the driver failed";
      case 2 -> "the graph has an invalid structure, such as a cycle";
      case 3 -> "a node does something that is not supported";
      case 4 -> "the nodes belong to several contexts";
      case 5 -> "a conditional handle is not used";
      default -> "CUgraphInstantiateResult " + result;
    };
  }

  /**
   * What {@code cuGraphExecUpdate} says.
   *
   * @param result its verdict
   * @param node the node that does not fit, or null
   * @param from where the edge that does not fit comes from, or null
   */
  record Update(int result, MemorySegment node, MemorySegment from) {}

  static Update update(Context context, GraphExecHandle exec, GraphHandle graph) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(CUgraphExecUpdateResultInfo.layout());
      context.makeCurrent();
      int code = cuda_h.cuGraphExecUpdate_v2(exec.value(), graph.value(), info);
      if (code != Failures.SUCCESS && code != cuda_h.CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE()) {
        throw Failures.of(
            code, "cuGraphExecUpdate_v2", "exec", exec.label(), "graph", graph.label());
      }
      return new Update(
          CUgraphExecUpdateResultInfo.result(info),
          CUgraphExecUpdateResultInfo.errorNode(info),
          CUgraphExecUpdateResultInfo.errorFromNode(info));
    }
  }

  static void destroyExec(Context context, String label, MemorySegment exec) {
    context.makeCurrent();
    int code = cuda_h.cuGraphExecDestroy(exec);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphExecDestroy", "graph", label);
    }
  }

  static void upload(Context context, GraphExecHandle exec, StreamHandle stream) {
    context.makeCurrent();
    int code = cuda_h.cuGraphUpload(exec.value(), stream.value());
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphUpload", "graph", exec.label(), "stream", stream.label());
    }
  }
}
