package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Checked calls of CUDA Driver API, "Stream Management". */
final class StreamCalls {

  private StreamCalls() {}

  static MemorySegment create(Context context, int priority) {
    Scratch scratch = Scratch.get();
    int flags = cuda_h.CU_STREAM_NON_BLOCKING();
    context.makeCurrent();
    int code = cuda_h.cuStreamCreateWithPriority(scratch.first, flags, priority);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuStreamCreateWithPriority", "flags", "non-blocking", "priority", priority);
    }
    return scratch.firstHandle();
  }

  static void destroy(Context context, MemorySegment stream) {
    context.makeCurrent();
    int code = cuda_h.cuStreamDestroy_v2(stream);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuStreamDestroy_v2");
    }
  }

  static void synchronize(Context context, MemorySegment stream, String label) {
    context.makeCurrent();
    int code = cuda_h.cuStreamSynchronize(stream);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuStreamSynchronize", "stream", label);
    }
  }

  static boolean isComplete(Context context, StreamHandle stream) {
    context.makeCurrent();
    int code = cuda_h.cuStreamQuery(stream.value());
    if (code != Failures.SUCCESS && code != Failures.NOT_READY) {
      throw Failures.of(code, "cuStreamQuery", "stream", stream.label());
    }
    return code == Failures.SUCCESS;
  }

  static void waitEvent(Context context, StreamHandle stream, EventHandle event) {
    waitEvent(context, stream, event.value(), event.label());
  }

  static void waitEvent(
      Context context, StreamHandle stream, MemorySegment event, String eventLabel) {
    context.makeCurrent();
    int code = cuda_h.cuStreamWaitEvent(stream.value(), event, cuda_h.CU_EVENT_WAIT_DEFAULT());
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuStreamWaitEvent", "stream", stream.label(), "event", eventLabel);
    }
  }

  static void launchHost(Context context, StreamHandle stream, HostFunctionHandle function) {
    context.makeCurrent();
    int code = cuda_h.cuLaunchHostFunc(stream.value(), HostFunctions.STUB, function.userData());
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuLaunchHostFunc", "stream", stream.label(), "function", function.label());
    }
  }

  /**
   * Whether no host function is left to be called: the work is done, or the context is lost or gone
   * with the driver, which then calls none.
   */
  static boolean calledAll(StreamHandle stream) {
    try {
      stream.context().makeCurrent();
    } catch (CudaException e) {
      return e.code() == Failures.DEINITIALIZED || e.contextPoisoned();
    }
    int code = cuda_h.cuStreamQuery(stream.value());
    return code == Failures.SUCCESS || code == Failures.DEINITIALIZED || Failures.isSticky(code);
  }

  static void beginCapture(Context context, StreamHandle stream) {
    int mode = cuda_h.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL();
    context.makeCurrent();
    int code = cuda_h.cuStreamBeginCapture_v2(stream.value(), mode);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuStreamBeginCapture_v2", "stream", stream.label(), "mode", "thread-local");
    }
  }

  /** Whether the driver has the stream in a capture, be it a broken one. */
  static boolean isCapturing(Context context, StreamHandle stream) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuStreamIsCapturing(stream.value(), scratch.first);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuStreamIsCapturing", "stream", stream.label());
    }
    return scratch.firstInt() != cuda_h.CU_STREAM_CAPTURE_STATUS_NONE();
  }

  static void beginCaptureInto(
      Context context,
      StreamHandle stream,
      MemorySegment graph,
      MemorySegment dependencies,
      long count) {
    int mode = cuda_h.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL();
    context.makeCurrent();
    int code =
        cuda_h.cuStreamBeginCaptureToGraph(
            stream.value(), graph, dependencies, MemorySegment.NULL, count, mode);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuStreamBeginCaptureToGraph", "stream", stream.label(), "mode", "thread-local");
    }
  }

  /**
   * The node that the last captured operation of a stream became, if what the stream captures next
   * depends on one node only; else 0. Also 0 when the capture is broken, which the call that ends
   * it reports.
   */
  static long lastCaptured(Context context, StreamHandle stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment status = arena.allocate(JAVA_INT);
      MemorySegment nodes = arena.allocate(ADDRESS);
      MemorySegment count = arena.allocate(JAVA_LONG);
      context.makeCurrent();
      int code =
          cuda_h.cuStreamGetCaptureInfo_v2(
              stream.value(), status, MemorySegment.NULL, MemorySegment.NULL, nodes, count);
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuStreamGetCaptureInfo_v2", "stream", stream.label());
      }
      if (status.get(JAVA_INT, 0) != cuda_h.CU_STREAM_CAPTURE_STATUS_ACTIVE()
          || count.get(JAVA_LONG, 0) != 1) {
        return 0;
      }
      return nodes.get(ADDRESS, 0).reinterpret(Long.BYTES).get(JAVA_LONG, 0);
    }
  }

  /** Ends a capture and gives its graph. */
  static MemorySegment endCapture(Context context, StreamHandle stream) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuStreamEndCapture(stream.value(), scratch.first);
    if (code != Failures.SUCCESS) {
      // The driver discards the graph of a capture that failed; it must not be destroyed here.
      throw Failures.of(code, "cuStreamEndCapture", "stream", stream.label());
    }
    return scratch.firstHandle();
  }
}
