package dev.reprise.cuda;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Checked calls of CUDA Driver API, "Graph Management", that change nodes of executable graphs. */
final class GraphExecNodeCalls {

  private GraphExecNodeCalls() {}

  private static void check(
      int code, String function, GraphExecHandle exec, GraphNode node, Object to) {
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, function, "exec", exec.label(), "node", node, "to", to);
    }
  }

  static void setKernel(
      Context context, GraphExecHandle exec, KernelNode node, PreparedLaunch launch) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = GraphNodeCalls.kernel(arena, launch);
      context.makeCurrent();
      int code = cuda_h.cuGraphExecKernelNodeSetParams_v2(exec.value(), node.value(), params);
      check(code, "cuGraphExecKernelNodeSetParams_v2", exec, node, launch.kernel().name());
    }
  }

  static void setCopy(Context context, GraphExecHandle exec, CopyNode node, CopyOperation copy) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = GraphNodeCalls.copy(arena, copy);
      context.makeCurrent();
      int code =
          cuda_h.cuGraphExecMemcpyNodeSetParams(
              exec.value(), node.value(), params, context.handle());
      check(code, "cuGraphExecMemcpyNodeSetParams", exec, node, copy);
    }
  }

  static void setFill(Context context, GraphExecHandle exec, FillNode node, FillOperation fill) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = GraphNodeCalls.fill(arena, fill);
      context.makeCurrent();
      int code =
          cuda_h.cuGraphExecMemsetNodeSetParams(
              exec.value(), node.value(), params, context.handle());
      check(code, "cuGraphExecMemsetNodeSetParams", exec, node, fill);
    }
  }

  static void setHost(
      Context context, GraphExecHandle exec, HostNode node, HostFunctionHandle function) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = GraphNodeCalls.host(arena, function);
      context.makeCurrent();
      int code = cuda_h.cuGraphExecHostNodeSetParams(exec.value(), node.value(), params);
      check(code, "cuGraphExecHostNodeSetParams", exec, node, function.label());
    }
  }

  static void setChild(
      Context context, GraphExecHandle exec, ChildGraphNode node, GraphHandle child) {
    context.makeCurrent();
    int code = cuda_h.cuGraphExecChildGraphNodeSetParams(exec.value(), node.value(), child.value());
    check(code, "cuGraphExecChildGraphNodeSetParams", exec, node, child.label());
  }

  static void setEventRecord(
      Context context, GraphExecHandle exec, EventRecordNode node, EventHandle event) {
    context.makeCurrent();
    int code = cuda_h.cuGraphExecEventRecordNodeSetEvent(exec.value(), node.value(), event.value());
    check(code, "cuGraphExecEventRecordNodeSetEvent", exec, node, event.label());
  }

  static void setEventWait(
      Context context, GraphExecHandle exec, EventWaitNode node, EventHandle event) {
    context.makeCurrent();
    int code = cuda_h.cuGraphExecEventWaitNodeSetEvent(exec.value(), node.value(), event.value());
    check(code, "cuGraphExecEventWaitNodeSetEvent", exec, node, event.label());
  }

  static void setEnabled(Context context, GraphExecHandle exec, GraphNode node, boolean enabled) {
    context.makeCurrent();
    int code = cuda_h.cuGraphNodeSetEnabled(exec.value(), node.value(), enabled ? 1 : 0);
    check(code, "cuGraphNodeSetEnabled", exec, node, enabled);
  }

  static boolean isEnabled(Context context, GraphExecHandle exec, GraphNode node) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuGraphNodeGetEnabled(exec.value(), node.value(), scratch.first);
    check(code, "cuGraphNodeGetEnabled", exec, node, "?");
    return scratch.firstInt() != 0;
  }
}
