package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.Event;
import dev.reprise.softgpu.driver.context.EventWait;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.context.StreamCallback;
import dev.reprise.softgpu.driver.operation.HostCall;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.rules.OpenRule;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Stream management without capture. */
final class StreamFunctions extends Functions {

  /** The priorities that streams are clamped to. They are kept; this driver schedules all alike. */
  static final int LEAST_PRIORITY = 0;

  static final int GREATEST_PRIORITY = -5;

  private static final int WAIT_EXTERNAL = 1;

  StreamFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuStreamCreate(MemorySegment phStream, int flags) {
    return create(phStream, flags, LEAST_PRIORITY);
  }

  int cuStreamCreateWithPriority(MemorySegment phStream, int flags, int priority) {
    return create(phStream, flags, Math.clamp(priority, GREATEST_PRIORITY, LEAST_PRIORITY));
  }

  private int create(MemorySegment phStream, int flags, int priority) {
    Context context = context();
    CallerMemory.required(phStream, "phStream");
    if (flags != 0 && flags != Context.STREAM_NON_BLOCKING) {
      throw CudaFailure.invalidValue("stream flags " + flags + "; they are 0 or 1");
    }
    Stream stream = context.createStream(flags, priority);
    CallerMemory.writeLong(phStream, "phStream", stream.handle());
    return SUCCESS;
  }

  int cuStreamDestroy_v2(MemorySegment hStream) {
    Context context = contextEvenIfPoisoned();
    Stream stream = handles().require(hStream.address(), Stream.class, "hStream");
    if (gpu().rules().takesSecond(OpenRule.STREAM_DESTROY)) {
      captures().leave(stream);
    } else {
      guard().checkNotCapturing(stream, "destroying a stream that captures");
    }
    stream.context().destroyStream(stream);
    return context.result().code();
  }

  int cuStreamSynchronize(MemorySegment hStream) {
    Context context = context();
    Stream stream = stream(context, hStream);
    guard().checkSynchronize(stream, thread());
    stream.tail().awaitOnHost();
    if (stream.role() == Stream.Role.LEGACY) {
      context.awaitBlockingStreams();
    }
    context.device().engine().output().flush();
    return stream.context().result().code();
  }

  int cuStreamQuery(MemorySegment hStream) {
    Context context = context();
    Stream stream = stream(context, hStream);
    guard().checkSynchronize(stream, thread());
    boolean idle =
        stream.idle() && (stream.role() != Stream.Role.LEGACY || context.blockingStreamsAreIdle());
    stream.context().checkHealthy();
    if (idle) {
      stream.tail().awaitOnHost();
    }
    return idle ? SUCCESS : Result.NOT_READY.code();
  }

  int cuStreamWaitEvent(MemorySegment hStream, MemorySegment hEvent, int flags) {
    Context context = context();
    Stream stream = stream(context, hStream);
    Event event = event(hEvent, "hEvent");
    if (flags == WAIT_EXTERNAL) {
      captures().addInCaptureOnly(stream, new EventWait(event));
    } else if (flags == 0) {
      captures().waitForEvent(stream, event);
    } else {
      throw CudaFailure.invalidValue("wait flags " + flags);
    }
    return SUCCESS;
  }

  int cuStreamGetPriority(MemorySegment hStream, MemorySegment priority) {
    CallerMemory.writeInt(priority, "priority", stream(context(), hStream).priority());
    return SUCCESS;
  }

  int cuStreamGetFlags(MemorySegment hStream, MemorySegment flags) {
    CallerMemory.writeInt(flags, "flags", stream(context(), hStream).flags());
    return SUCCESS;
  }

  int cuStreamGetId(MemorySegment hStream, MemorySegment id) {
    CallerMemory.writeLong(id, "streamId", stream(context(), hStream).handle());
    return SUCCESS;
  }

  int cuStreamGetCtx(MemorySegment hStream, MemorySegment pctx) {
    CallerMemory.writeLong(pctx, "pctx", stream(context(), hStream).context().handle());
    return SUCCESS;
  }

  /** No stream belongs to a green context, as there are none. */
  int cuStreamGetCtx_v2(MemorySegment hStream, MemorySegment pctx, MemorySegment pGreenCtx) {
    Context context = stream(context(), hStream).context();
    CallerMemory.required(pGreenCtx, "pGreenCtx");
    CallerMemory.writeLong(pctx, "pCtx", context.handle());
    CallerMemory.writeLong(pGreenCtx, "pGreenCtx", 0);
    return SUCCESS;
  }

  int cuStreamGetGreenCtx(MemorySegment hStream, MemorySegment phCtx) {
    stream(context(), hStream);
    CallerMemory.writeLong(phCtx, "phCtx", 0);
    return SUCCESS;
  }

  int cuStreamGetDevice(MemorySegment hStream, MemorySegment device) {
    stream(context(), hStream);
    CallerMemory.writeInt(device, "device", 0);
    return SUCCESS;
  }

  int cuStreamAddCallback(
      MemorySegment hStream, MemorySegment callback, MemorySegment userData, int flags) {
    Stream stream = stream(context(), hStream);
    CallerMemory.required(callback, "callback");
    if (flags != 0) {
      throw CudaFailure.invalidValue("callback flags " + flags + "; they must be 0");
    }
    String what = "a stream callback";
    if (gpu().rules().takesSecond(OpenRule.CALLBACK)) {
      guard().checkNotCapturing(stream, CudaFailure.notSupported(what + " in a capture"));
    } else {
      guard().checkNotCapturing(stream, what);
    }
    stream.submit(new StreamCallback(stream, hStream, callback, userData), List.of());
    return SUCCESS;
  }

  int cuLaunchHostFunc(MemorySegment hStream, MemorySegment fn, MemorySegment userData) {
    Stream stream = stream(context(), hStream);
    CallerMemory.required(fn, "fn");
    stream.perform(new HostCall(fn, userData));
    return SUCCESS;
  }
}
