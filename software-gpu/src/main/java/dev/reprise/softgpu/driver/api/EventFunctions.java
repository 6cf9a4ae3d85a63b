package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.Event;
import dev.reprise.softgpu.driver.context.EventRecord;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;

/** Event management. */
final class EventFunctions extends Functions {

  private static final int BLOCKING_SYNC = 1;
  private static final int DISABLE_TIMING = 2;
  private static final int INTERPROCESS = 4;
  private static final int RECORD_EXTERNAL = 1;
  private static final float NANOS_PER_MILLI = 1e6f;

  EventFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuEventCreate(MemorySegment phEvent, int flags) {
    Context context = context();
    CallerMemory.required(phEvent, "phEvent");
    if ((flags & ~(BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS)) != 0) {
      throw CudaFailure.invalidValue("event flags 0x%x".formatted(flags));
    }
    if ((flags & INTERPROCESS) != 0) {
      throw CudaFailure.notSupported("an event shared with another process");
    }
    Event event = context.createEvent((flags & DISABLE_TIMING) == 0);
    CallerMemory.writeLong(phEvent, "phEvent", event.handle());
    return SUCCESS;
  }

  int cuEventDestroy_v2(MemorySegment hEvent) {
    Context context = contextEvenIfPoisoned();
    Event event = event(hEvent, "hEvent");
    event.context().destroyEvent(event);
    return context.result().code();
  }

  int cuEventRecord(MemorySegment hEvent, MemorySegment hStream) {
    return record(hEvent, hStream, 0);
  }

  int cuEventRecordWithFlags(MemorySegment hEvent, MemorySegment hStream, int flags) {
    return record(hEvent, hStream, flags);
  }

  private int record(MemorySegment hEvent, MemorySegment hStream, int flags) {
    Context context = context();
    Stream stream = stream(context, hStream);
    Event event = event(hEvent, "hEvent");
    if (event.context() != stream.context()) {
      throw CudaFailure.invalidHandle(event + " and " + stream + " have different contexts");
    }
    if (flags == RECORD_EXTERNAL) {
      captures().addInCaptureOnly(stream, new EventRecord(event));
    } else if (flags == 0) {
      captures().recordEvent(stream, event);
    } else {
      throw CudaFailure.invalidValue("record flags " + flags);
    }
    return SUCCESS;
  }

  int cuCtxRecordEvent(MemorySegment hCtx, MemorySegment hEvent) {
    Context context = healthy(hCtx);
    Event event = event(hEvent, "hEvent");
    if (event.context() != context) {
      throw CudaFailure.invalidHandle(event + " is not of " + context);
    }
    guard().checkWholeContext(context, event, "recording the work of a whole context");
    event.recordOn(context);
    return SUCCESS;
  }

  int cuCtxWaitEvent(MemorySegment hCtx, MemorySegment hEvent) {
    Context context = healthy(hCtx);
    Event event = event(hEvent, "hEvent");
    guard().checkWholeContext(context, event, "making a whole context wait");
    switch (event.recording()) {
      case Event.Never never -> {}
      case Event.Position position -> context.delayAll(position.marker());
      case Event.InCapture captured ->
          throw CudaFailure.invalidValue(event + " was recorded in a capture that has ended");
    }
    return SUCCESS;
  }

  private Context healthy(MemorySegment hCtx) {
    gpu().device();
    Context context = handles().find(hCtx.address(), Context.class);
    if (context == null) {
      throw new CudaFailure(
          Result.INVALID_CONTEXT, "hCtx 0x%x is no live context".formatted(hCtx.address()));
    }
    context.checkHealthy();
    return context;
  }

  int cuEventQuery(MemorySegment hEvent) {
    context();
    Event event = event(hEvent, "hEvent");
    guard().checkSynchronize(event, thread());
    boolean complete =
        !(event.recording() instanceof Event.Position(var marker, var stamp)) || marker.complete();
    event.context().checkHealthy();
    if (complete && event.recording() instanceof Event.Position(var marker, var stamp)) {
      marker.awaitOnHost();
    }
    return complete ? SUCCESS : Result.NOT_READY.code();
  }

  int cuEventSynchronize(MemorySegment hEvent) {
    context();
    Event event = event(hEvent, "hEvent");
    guard().checkSynchronize(event, thread());
    if (event.recording() instanceof Event.Position(var marker, var stamp)) {
      marker.awaitOnHost();
    }
    event.context().device().engine().output().flush();
    return event.context().result().code();
  }

  int cuEventElapsedTime(MemorySegment milliseconds, MemorySegment hStart, MemorySegment hEnd) {
    return elapsed(milliseconds, hStart, hEnd);
  }

  int cuEventElapsedTime_v2(MemorySegment milliseconds, MemorySegment hStart, MemorySegment hEnd) {
    return elapsed(milliseconds, hStart, hEnd);
  }

  private int elapsed(MemorySegment milliseconds, MemorySegment hStart, MemorySegment hEnd) {
    context();
    CallerMemory.required(milliseconds, "pMilliseconds");
    Event.Position start = timed(event(hStart, "hStart"));
    Event.Position end = timed(event(hEnd, "hEnd"));
    if (!start.marker().complete() || !end.marker().complete()) {
      return Result.NOT_READY.code();
    }
    long nanos = end.stamp().nanos() - start.stamp().nanos();
    CallerMemory.writeFloat(milliseconds, "pMilliseconds", nanos / NANOS_PER_MILLI);
    return SUCCESS;
  }

  private static Event.Position timed(Event event) {
    if (!event.timing()) {
      throw CudaFailure.invalidHandle(event + " was created with CU_EVENT_DISABLE_TIMING");
    }
    if (event.recording() instanceof Event.Position position) {
      return position;
    }
    throw CudaFailure.invalidHandle(event + " was not recorded on a stream");
  }
}
