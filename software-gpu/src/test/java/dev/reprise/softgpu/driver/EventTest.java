package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class EventTest extends DriverTest {

  @Test
  void anEventThatWasNeverRecordedIsComplete() {
    MemorySegment event = event();
    ok(cuda_h.cuEventQuery(event));
    ok(cuda_h.cuEventSynchronize(event));
    MemorySegment stream = stream();
    waitFor(stream, event);
    synchronize(stream);
  }

  @Test
  void aRecordCoversTheWorkBeforeItAndNotAfter() {
    MemorySegment stream = stream();
    MemorySegment event = event();
    Gate before = hold(stream);
    record(event, stream);
    hold(stream);
    expect(Result.NOT_READY, cuda_h.cuEventQuery(event));
    before.open();
    ok(cuda_h.cuEventSynchronize(event));
    expectHeld(stream);
  }

  @Test
  void aSecondRecordReplacesTheFirst() {
    MemorySegment stream = stream();
    MemorySegment event = event();
    record(event, stream);
    hold(stream);
    record(event, stream);
    expect(Result.NOT_READY, cuda_h.cuEventQuery(event));
  }

  @Test
  void aWaitOrdersTwoStreams() {
    MemorySegment first = stream();
    MemorySegment second = stream();
    MemorySegment event = event();
    long buffer = ints(1);
    Gate gate = hold(first);
    fill(buffer, 5, 1, first);
    record(event, first);
    waitFor(second, event);
    MemorySegment host = pinned(4);
    ok(cuda_h.cuMemcpyDtoHAsync_v2(host, buffer, 4, second));
    expectHeld(second);
    gate.open();
    synchronize(second);
    assertThat(host.get(JAVA_INT, 0)).isEqualTo(5);
  }

  @Test
  void aWaitUsesTheRecordAtTheTimeOfTheCall() {
    MemorySegment first = stream();
    MemorySegment second = stream();
    MemorySegment event = event();
    record(event, first);
    waitFor(second, event);
    hold(first);
    record(event, first);
    synchronize(second);
    expect(Result.NOT_READY, cuda_h.cuEventQuery(event));
  }

  @Test
  void aDestroyedEventStillHoldsItsWaiters() {
    MemorySegment first = stream();
    MemorySegment second = stream();
    MemorySegment event = event();
    Gate gate = hold(first);
    record(event, first);
    waitFor(second, event);
    ok(cuda_h.cuEventDestroy_v2(event));
    expectHeld(second);
    gate.open();
    synchronize(second);
    expect(Result.INVALID_HANDLE, cuda_h.cuEventQuery(event));
  }

  @Test
  void elapsedTimeIsThatBetweenTheRecords() {
    MemorySegment stream = stream();
    MemorySegment start = timingEvent();
    MemorySegment end = timingEvent();
    record(start, stream);
    hostFunction(
        stream,
        () -> {
          long begin = System.nanoTime();
          while (System.nanoTime() - begin < 3_000_000) {
            Thread.onSpinWait();
          }
        });
    record(end, stream);
    synchronize(stream);
    MemorySegment millis = arena().allocate(JAVA_FLOAT);
    ok(cuda_h.cuEventElapsedTime_v2(millis, start, end));
    assertThat(millis.get(JAVA_FLOAT, 0)).isGreaterThanOrEqualTo(2.99f);
  }

  @Test
  void elapsedTimeNeedsTwoTimedAndCompleteRecords() {
    MemorySegment stream = stream();
    MemorySegment millis = arena().allocate(JAVA_FLOAT);
    MemorySegment recorded = timingEvent();
    record(recorded, stream);
    synchronize(stream);
    expect(Result.INVALID_HANDLE, cuda_h.cuEventElapsedTime_v2(millis, recorded, timingEvent()));
    MemorySegment untimed = event();
    record(untimed, stream);
    synchronize(stream);
    expect(Result.INVALID_HANDLE, cuda_h.cuEventElapsedTime_v2(millis, recorded, untimed));
    expect(
        Result.INVALID_HANDLE, cuda_h.cuEventElapsedTime_v2(millis, recorded, MemorySegment.NULL));
    expect(
        Result.INVALID_VALUE, cuda_h.cuEventElapsedTime_v2(MemorySegment.NULL, recorded, recorded));
    MemorySegment pending = timingEvent();
    hold(stream);
    record(pending, stream);
    expect(Result.NOT_READY, cuda_h.cuEventElapsedTime_v2(millis, recorded, pending));
  }

  @Test
  void badArgumentsAreRefused() {
    MemorySegment stream = stream();
    expect(Result.INVALID_VALUE, cuda_h.cuEventCreate(arena().allocate(8), 8));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamWaitEvent(stream, event(), 2));
    expect(Result.INVALID_HANDLE, cuda_h.cuStreamWaitEvent(stream, MemorySegment.NULL, 0));
    expect(Result.INVALID_HANDLE, cuda_h.cuEventRecord(stream, stream));
    expect(Result.INVALID_VALUE, cuda_h.cuEventRecordWithFlags(event(), stream, 2));
  }

  @Test
  void aRecordNeedsAStreamOfTheSameContextAndAWaitDoesNot() {
    MemorySegment stream = stream();
    MemorySegment event = event();
    Gate gate = hold(stream);
    record(event, stream);
    MemorySegment other = out(slot -> cuda_h.cuCtxCreate_v4(slot, MemorySegment.NULL, 0, 0));
    MemorySegment foreign = stream();
    expect(Result.INVALID_HANDLE, cuda_h.cuEventRecord(event, foreign));
    waitFor(foreign, event);
    expectHeld(foreign);
    gate.open();
    synchronize(foreign);
    ok(cuda_h.cuCtxDestroy_v2(other));
  }

  @Test
  void notReadyIsNoErrorAndDoesNotStick() {
    MemorySegment stream = stream();
    MemorySegment event = event();
    Gate gate = hold(stream);
    record(event, stream);
    expect(Result.NOT_READY, cuda_h.cuEventQuery(event));
    expect(Result.NOT_READY, cuda_h.cuStreamQuery(stream));
    ok(cuda_h.cuEventQuery(event()));
    ok(cuda_h.cuMemAlloc_v2(arena().allocate(8), 4));
    gate.open();
    synchronize(stream);
    ok(cuda_h.cuEventQuery(event));
  }

  @Test
  void aDestroyedEventCannotBeWaitedFor() {
    MemorySegment event = event();
    ok(cuda_h.cuEventDestroy_v2(event));
    expect(Result.INVALID_HANDLE, cuda_h.cuStreamWaitEvent(stream(), event, 0));
    expect(Result.INVALID_HANDLE, cuda_h.cuEventRecord(event, stream()));
    expect(Result.INVALID_HANDLE, cuda_h.cuEventDestroy_v2(event));
  }
}
