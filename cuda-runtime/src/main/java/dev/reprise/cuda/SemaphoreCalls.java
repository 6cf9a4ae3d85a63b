package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st;
import dev.reprise.bindings.cuda.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_EXT_SEM_WAIT_NODE_PARAMS;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Checked calls of CUDA Driver API, "External Resource Interoperability" and "Graph Management",
 * about semaphores.
 */
final class SemaphoreCalls {

  private SemaphoreCalls() {}

  static MemorySegment importDescriptor(
      Context context, String label, ExternalSemaphoreKind kind, int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment d = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.allocate(arena).fill((byte) 0);
      CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.type(
          d,
          switch (kind) {
            case BINARY_FD -> cuda_h.CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD();
            case TIMELINE_FD -> cuda_h.CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD();
          });
      CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st.handle.fd(
          CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.handle(d), descriptor);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      check(
          cuda_h.cuImportExternalSemaphore(scratch.first, d),
          "cuImportExternalSemaphore",
          label,
          descriptor);
      return scratch.firstHandle();
    }
  }

  static void destroy(Context context, String label, MemorySegment semaphore) {
    context.makeCurrent();
    check(cuda_h.cuDestroyExternalSemaphore(semaphore), "cuDestroyExternalSemaphore", label, "");
  }

  private static void check(int code, String function, String label, Object value) {
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, function, "semaphore", label, "value", value);
    }
  }

  /** The semaphore as an array of one. */
  private static MemorySegment array(Arena arena, SemaphoreUse use) {
    MemorySegment array = arena.allocate(JAVA_LONG);
    array.set(JAVA_LONG, 0, use.handle().value().address());
    return array;
  }

  /** What is done with it, as an array of one. */
  private static MemorySegment params(Arena arena, SemaphoreUse use) {
    if (use.isSignal()) {
      MemorySegment p = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS.allocate(arena).fill((byte) 0);
      CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st.params.fence.value(
          CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st.params.fence(
              CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS.params(p)),
          use.value());
      return p;
    }
    MemorySegment p = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS.allocate(arena).fill((byte) 0);
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st.params.fence.value(
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st.params.fence(
            CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS.params(p)),
        use.value());
    return p;
  }

  private static MemorySegment nodeParams(Arena arena, SemaphoreUse use) {
    MemorySegment array = array(arena, use);
    MemorySegment params = params(arena, use);
    if (use.isSignal()) {
      MemorySegment p = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.allocate(arena).fill((byte) 0);
      CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.extSemArray(p, array);
      CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.paramsArray(p, params);
      CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.numExtSems(p, 1);
      return p;
    }
    MemorySegment p = CUDA_EXT_SEM_WAIT_NODE_PARAMS.allocate(arena).fill((byte) 0);
    CUDA_EXT_SEM_WAIT_NODE_PARAMS.extSemArray(p, array);
    CUDA_EXT_SEM_WAIT_NODE_PARAMS.paramsArray(p, params);
    CUDA_EXT_SEM_WAIT_NODE_PARAMS.numExtSems(p, 1);
    return p;
  }

  static void issue(Context context, SemaphoreUse use, StreamHandle stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment array = array(arena, use);
      MemorySegment params = params(arena, use);
      context.makeCurrent();
      if (use.isSignal()) {
        check(
            cuda_h.cuSignalExternalSemaphoresAsync(array, params, 1, stream.value()),
            "cuSignalExternalSemaphoresAsync",
            use.handle().label(),
            use.value());
      } else {
        check(
            cuda_h.cuWaitExternalSemaphoresAsync(array, params, 1, stream.value()),
            "cuWaitExternalSemaphoresAsync",
            use.handle().label(),
            use.value());
      }
    }
  }

  static MemorySegment add(
      Context context, SemaphoreUse use, MemorySegment graph, MemorySegment deps, long count) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = nodeParams(arena, use);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      if (use.isSignal()) {
        check(
            cuda_h.cuGraphAddExternalSemaphoresSignalNode(
                scratch.first, graph, deps, count, params),
            "cuGraphAddExternalSemaphoresSignalNode",
            use.handle().label(),
            use.value());
      } else {
        check(
            cuda_h.cuGraphAddExternalSemaphoresWaitNode(scratch.first, graph, deps, count, params),
            "cuGraphAddExternalSemaphoresWaitNode",
            use.handle().label(),
            use.value());
      }
      return scratch.firstHandle();
    }
  }

  static void set(Context context, MemorySegment node, SemaphoreUse use) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = nodeParams(arena, use);
      context.makeCurrent();
      if (use.isSignal()) {
        check(
            cuda_h.cuGraphExternalSemaphoresSignalNodeSetParams(node, params),
            "cuGraphExternalSemaphoresSignalNodeSetParams",
            use.handle().label(),
            use.value());
      } else {
        check(
            cuda_h.cuGraphExternalSemaphoresWaitNodeSetParams(node, params),
            "cuGraphExternalSemaphoresWaitNodeSetParams",
            use.handle().label(),
            use.value());
      }
    }
  }

  static void setInExec(
      Context context, GraphExecHandle exec, MemorySegment node, SemaphoreUse use) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = nodeParams(arena, use);
      context.makeCurrent();
      if (use.isSignal()) {
        check(
            cuda_h.cuGraphExecExternalSemaphoresSignalNodeSetParams(exec.value(), node, params),
            "cuGraphExecExternalSemaphoresSignalNodeSetParams",
            use.handle().label(),
            use.value());
      } else {
        check(
            cuda_h.cuGraphExecExternalSemaphoresWaitNodeSetParams(exec.value(), node, params),
            "cuGraphExecExternalSemaphoresWaitNodeSetParams",
            use.handle().label(),
            use.value());
      }
    }
  }
}
