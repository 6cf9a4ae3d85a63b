package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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

  static int nodeCount(Context context, GraphHandle graph) {
    Scratch scratch = Scratch.get();
    scratch.first.set(JAVA_LONG, 0, 0);
    context.makeCurrent();
    int code = cuda_h.cuGraphGetNodes(graph.value(), MemorySegment.NULL, scratch.first);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphGetNodes", "graph", graph.label());
    }
    return Math.toIntExact(scratch.firstLong());
  }

  static void writeDot(Context context, GraphHandle graph, Path file) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment path = arena.allocateFrom(file.toString());
      int flags = cuda_h.CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE();
      context.makeCurrent();
      int code = cuda_h.cuGraphDebugDotPrint(graph.value(), path, flags);
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuGraphDebugDotPrint", "graph", graph.label(), "path", file);
      }
    }
  }

  static MemorySegment instantiate(Context context, GraphHandle graph) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuGraphInstantiateWithFlags(scratch.first, graph.value(), 0);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphInstantiateWithFlags", "graph", graph.label(), "flags", 0);
    }
    return scratch.firstHandle();
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
