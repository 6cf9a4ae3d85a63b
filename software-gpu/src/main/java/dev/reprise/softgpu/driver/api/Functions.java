package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.CaptureGuard;
import dev.reprise.softgpu.driver.context.Captures;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.Device;
import dev.reprise.softgpu.driver.context.Event;
import dev.reprise.softgpu.driver.context.LibraryKernel;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.context.ThreadState;
import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.operation.KernelFunction;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.rules.OpenRule;
import java.lang.foreign.MemorySegment;

/**
 * What functions of the driver API share. A subclass has one method for each symbol, of the same
 * name and C signature; it returns the code, or throws {@link CudaFailure}.
 */
abstract class Functions {

  static final int SUCCESS = Result.SUCCESS.code();

  /** {@code CU_STREAM_LEGACY}. */
  static final long STREAM_LEGACY = 1;

  /** {@code CU_STREAM_PER_THREAD}. */
  static final long STREAM_PER_THREAD = 2;

  private final SoftwareGpu gpu;

  Functions(SoftwareGpu gpu) {
    this.gpu = gpu;
  }

  final SoftwareGpu gpu() {
    return gpu;
  }

  final Handles handles() {
    return gpu.handles();
  }

  final Captures captures() {
    return gpu.captures();
  }

  /** What refuses calls that conflict with captures. */
  final CaptureGuard guard() {
    return gpu.guard();
  }

  final ThreadState thread() {
    return gpu.thread();
  }

  /** The device of an ordinal, which can only be 0. */
  final Device device(int ordinal) {
    Device device = gpu.device();
    if (ordinal != 0) {
      throw new CudaFailure(
          Result.INVALID_DEVICE, "device " + ordinal + "; there is one device, number 0");
    }
    return device;
  }

  /** The current context, which no fault has poisoned. */
  final Context context() {
    Context context = contextEvenIfPoisoned();
    context.checkHealthy();
    return context;
  }

  /** The current context, for calls that free something. */
  final Context contextEvenIfPoisoned() {
    Context context = thread().current();
    if (context == null) {
      throw new CudaFailure(Result.INVALID_CONTEXT, "no context is current to this thread");
    }
    if (context.destroyed()) {
      throw new CudaFailure(Result.CONTEXT_IS_DESTROYED, context + " was destroyed");
    }
    return context;
  }

  final DeviceMemory memory(Context context) {
    return context.device().memory();
  }

  /**
   * The stream of calls that name none: the legacy stream, or in the per-thread variants of the
   * functions the thread's default stream.
   */
  final Stream defaultStream(Context context) {
    ThreadState thread = thread();
    return thread.nullStreamIsOwn() ? thread.defaultStream(context) : context.legacy();
  }

  /**
   * The stream of a handle: 1 is the legacy stream, 2 the thread's, null what calls without one
   * have.
   */
  final Stream stream(Context context, MemorySegment handle) {
    long number = handle.address();
    if (number == 0) {
      return defaultStream(context);
    }
    if (number == STREAM_LEGACY) {
      return context.legacy();
    }
    if (number == STREAM_PER_THREAD) {
      return thread().defaultStream(context);
    }
    Stream stream = handles().require(number, Stream.class, "hStream");
    stream.context().checkHealthy();
    return stream;
  }

  final Event event(MemorySegment handle, String argument) {
    return handles().require(handle.address(), Event.class, argument);
  }

  /** Refuses to load or unload code where a capture forbids unsafe calls. */
  final void checkCodeMayChange(String call) {
    if (!gpu.rules().takesSecond(OpenRule.MODULE_LOAD)) {
      guard().checkUnsafe(thread(), call);
    }
  }

  /** A function, or the function of the current context for a kernel of a library. */
  final KernelFunction function(MemorySegment handle) {
    LibraryKernel kernel = handles().find(handle.address(), LibraryKernel.class);
    return kernel != null
        ? kernel.library().image(context()).function(kernel.name())
        : handles().require(handle.address(), KernelFunction.class, "hfunc");
  }
}
