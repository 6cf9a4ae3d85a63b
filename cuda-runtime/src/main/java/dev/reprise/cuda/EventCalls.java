package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.MemorySegment;

/** Checked calls of CUDA Driver API, "Event Management". */
final class EventCalls {

  private EventCalls() {}

  static int flags(EventOptions options) {
    return (options.timing() ? cuda_h.CU_EVENT_DEFAULT() : cuda_h.CU_EVENT_DISABLE_TIMING())
        | (options.blockingWait() ? cuda_h.CU_EVENT_BLOCKING_SYNC() : 0);
  }

  static MemorySegment create(Context context, EventOptions options) {
    Scratch scratch = Scratch.get();
    int flags = flags(options);
    context.makeCurrent();
    int code = cuda_h.cuEventCreate(scratch.first, flags);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuEventCreate", "flags", flags);
    }
    return scratch.firstHandle();
  }

  static void destroy(Context context, MemorySegment event) {
    context.makeCurrent();
    int code = cuda_h.cuEventDestroy_v2(event);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuEventDestroy_v2");
    }
  }

  static void record(Context context, MemorySegment event, MemorySegment stream) {
    context.makeCurrent();
    int code = cuda_h.cuEventRecord(event, stream);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuEventRecord");
    }
  }

  /** The code itself: success, not ready, or what went wrong. */
  static int query(Context context, MemorySegment event) {
    context.makeCurrent();
    return cuda_h.cuEventQuery(event);
  }

  /** The code itself: success or what went wrong. */
  static int synchronize(Context context, MemorySegment event) {
    context.makeCurrent();
    return cuda_h.cuEventSynchronize(event);
  }

  static float elapsedMillis(Context context, MemorySegment start, MemorySegment end) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuEventElapsedTime(scratch.first, start, end);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuEventElapsedTime");
    }
    return scratch.first.get(JAVA_FLOAT, 0);
  }
}
