package dev.reprise.cuda;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.ownership.CallbackThread;
import java.lang.foreign.MemorySegment;

/** Checked calls of CUDA Driver API, "Context Management". */
final class ContextCalls {

  private ContextCalls() {}

  /** The context that is current on the operating system thread; NULL for none. */
  static MemorySegment current() {
    CallbackThread.refuse("A call of the driver");
    Scratch scratch = Scratch.get();
    int code = cuda_h.cuCtxGetCurrent(scratch.first);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuCtxGetCurrent");
    }
    return scratch.firstHandle();
  }

  /** Makes a context current that {@link #current} gave. */
  static void restore(MemorySegment context) {
    int code = cuda_h.cuCtxSetCurrent(context);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuCtxSetCurrent", "restored", MemoryCalls.hex(context.address()));
    }
  }

  static PriorityRange priorityRange(Context context) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuCtxGetStreamPriorityRange(scratch.first, scratch.second);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuCtxGetStreamPriorityRange");
    }
    return new PriorityRange(scratch.firstInt(), scratch.secondInt());
  }

  static long limit(Context context, DeviceLimit limit) {
    int id = id(limit);
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuCtxGetLimit(scratch.first, id);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuCtxGetLimit", "limit", limit);
    }
    return scratch.firstLong();
  }

  static void setLimit(Context context, DeviceLimit limit, long value) {
    int id = id(limit);
    context.makeCurrent();
    int code = cuda_h.cuCtxSetLimit(id, value);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuCtxSetLimit", "limit", limit, "value", value);
    }
  }

  private static int id(DeviceLimit limit) {
    return switch (limit) {
      case STACK_BYTES -> cuda_h.CU_LIMIT_STACK_SIZE();
      case PRINTF_BUFFER_BYTES -> cuda_h.CU_LIMIT_PRINTF_FIFO_SIZE();
      case MALLOC_HEAP_BYTES -> cuda_h.CU_LIMIT_MALLOC_HEAP_SIZE();
      case PENDING_DEVICE_LAUNCHES -> cuda_h.CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT();
      case L2_FETCH_BYTES -> cuda_h.CU_LIMIT_MAX_L2_FETCH_GRANULARITY();
      case PERSISTING_L2_CACHE_BYTES -> cuda_h.CU_LIMIT_PERSISTING_L2_CACHE_SIZE();
    };
  }
}
