package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.ContextLimits;
import dev.reprise.softgpu.driver.context.Device;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.ThreadState;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Primary context management and context management. */
final class ContextFunctions extends Functions {

  /** {@code CU_CTX_FLAGS_MASK} without the flags that 13.0 lets no caller set. */
  private static final int KNOWN_FLAGS = 0xff;

  private static final int SCHEDULE_MASK = 7;
  private static final int SCHEDULE_BLOCKING_SYNC = 4;
  private static final int API_VERSION = 3020;

  ContextFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuDevicePrimaryCtxRetain(MemorySegment pctx, int dev) {
    Device device = device(dev);
    CallerMemory.required(pctx, "pctx");
    gpu().checkNewContext();
    CallerMemory.writeLong(pctx, "pctx", device.retainPrimary().handle());
    return SUCCESS;
  }

  int cuDevicePrimaryCtxRelease_v2(int dev) {
    device(dev).releasePrimary();
    return SUCCESS;
  }

  int cuDevicePrimaryCtxReset_v2(int dev) {
    device(dev).resetPrimary();
    return SUCCESS;
  }

  int cuDevicePrimaryCtxGetState(int dev, MemorySegment flags, MemorySegment active) {
    Device device = device(dev);
    CallerMemory.required(active, "active");
    CallerMemory.writeInt(flags, "flags", device.primaryFlags());
    CallerMemory.writeInt(active, "active", device.primaryActive() ? 1 : 0);
    return SUCCESS;
  }

  int cuDevicePrimaryCtxSetFlags_v2(int dev, int flags) {
    checkFlags(flags);
    device(dev).primaryFlags(flags);
    return SUCCESS;
  }

  private static void checkFlags(int flags) {
    int schedule = flags & SCHEDULE_MASK;
    if ((flags & ~KNOWN_FLAGS) != 0
        || (Integer.bitCount(schedule) > 1 && schedule != 0)
        || schedule > SCHEDULE_BLOCKING_SYNC) {
      throw CudaFailure.invalidValue("context flags 0x%x".formatted(flags));
    }
  }

  int cuCtxCreate_v4(MemorySegment pctx, MemorySegment parameters, int flags, int dev) {
    Device device = device(dev);
    CallerMemory.required(pctx, "pctx");
    checkFlags(flags);
    if (!CallerMemory.isNull(parameters)) {
      throw CudaFailure.notSupported("a context with execution affinity or CIG parameters");
    }
    gpu().checkNewContext();
    Context context = device.createContext(flags);
    thread().push(context);
    CallerMemory.writeLong(pctx, "pctx", context.handle());
    return SUCCESS;
  }

  int cuCtxCreate_v3(
      MemorySegment pctx, MemorySegment affinities, int numParams, int flags, int dev) {
    device(dev);
    if (numParams < 0 || (numParams == 0) != CallerMemory.isNull(affinities)) {
      throw CudaFailure.invalidValue("%d execution affinities".formatted(numParams));
    }
    if (numParams != 0) {
      throw new CudaFailure(
          Result.UNSUPPORTED_EXEC_AFFINITY, "contexts cannot be limited to some multiprocessors");
    }
    return cuCtxCreate_v4(pctx, MemorySegment.NULL, flags, dev);
  }

  int cuCtxSetFlags(int flags) {
    Context context = context();
    checkFlags(flags);
    context.flags(flags);
    return SUCCESS;
  }

  int cuCtxDestroy_v2(MemorySegment ctx) {
    Context context = required(ctx);
    if (context.device().isPrimary(context)) {
      throw new CudaFailure(Result.INVALID_CONTEXT, "a primary context is released, not destroyed");
    }
    ThreadState thread = thread();
    context.destroy();
    if (thread.current() == context) {
      thread.pop();
    }
    return SUCCESS;
  }

  int cuCtxSetCurrent(MemorySegment ctx) {
    thread().replace(CallerMemory.isNull(ctx) ? null : required(ctx));
    return SUCCESS;
  }

  int cuCtxGetCurrent(MemorySegment pctx) {
    Context current = thread().current();
    CallerMemory.writeLong(pctx, "pctx", current == null ? 0 : current.handle());
    return SUCCESS;
  }

  int cuCtxPushCurrent_v2(MemorySegment ctx) {
    thread().push(required(ctx));
    return SUCCESS;
  }

  int cuCtxPopCurrent_v2(MemorySegment pctx) {
    Context popped = thread().pop();
    if (popped == null) {
      throw new CudaFailure(Result.INVALID_CONTEXT, "no context is current to this thread");
    }
    CallerMemory.writeLongIfWanted(pctx, popped.handle());
    return SUCCESS;
  }

  int cuCtxGetDevice(MemorySegment device) {
    contextEvenIfPoisoned();
    CallerMemory.writeInt(device, "device", 0);
    return SUCCESS;
  }

  int cuCtxGetDevice_v2(MemorySegment device, MemorySegment ctx) {
    orCurrent(ctx);
    CallerMemory.writeInt(device, "device", 0);
    return SUCCESS;
  }

  int cuCtxGetFlags(MemorySegment flags) {
    Context context = context();
    CallerMemory.writeInt(flags, "flags", context.flags());
    return SUCCESS;
  }

  int cuCtxGetId(MemorySegment ctx, MemorySegment id) {
    CallerMemory.writeLong(id, "ctxId", orCurrent(ctx).handle());
    return SUCCESS;
  }

  int cuCtxGetApiVersion(MemorySegment ctx, MemorySegment version) {
    orCurrent(ctx);
    CallerMemory.writeInt(version, "version", API_VERSION);
    return SUCCESS;
  }

  int cuCtxSynchronize() {
    return synchronize(context());
  }

  int cuCtxSynchronize_v2(MemorySegment ctx) {
    Context context = orCurrent(ctx);
    context.checkHealthy();
    return synchronize(context);
  }

  private int synchronize(Context context) {
    guard().checkSynchronize(context, thread());
    context.drain();
    return context.result().code();
  }

  int cuCtxGetStreamPriorityRange(MemorySegment least, MemorySegment greatest) {
    context();
    CallerMemory.writeIntIfWanted(least, StreamFunctions.LEAST_PRIORITY);
    CallerMemory.writeIntIfWanted(greatest, StreamFunctions.GREATEST_PRIORITY);
    return SUCCESS;
  }

  int cuCtxGetLimit(MemorySegment value, int limit) {
    Context context = context();
    CallerMemory.writeLong(value, "pvalue", context.limits().get(limit));
    return SUCCESS;
  }

  int cuCtxSetLimit(int limit, long value) {
    Context context = context();
    context.limits().set(limit, value);
    if (limit == ContextLimits.HEAP_BYTES) {
      context.device().engine().heap().limit(value);
    }
    return SUCCESS;
  }

  private Context required(MemorySegment ctx) {
    gpu().device();
    @Nullable Context context = handles().find(ctx.address(), Context.class);
    if (context == null) {
      throw new CudaFailure(
          Result.INVALID_CONTEXT, "0x%x is no live context".formatted(ctx.address()));
    }
    return context;
  }

  private Context orCurrent(MemorySegment ctx) {
    return CallerMemory.isNull(ctx) ? contextEvenIfPoisoned() : required(ctx);
  }
}
