package dev.reprise.softgpu.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Events of a whole context: {@code cuCtxRecordEvent} and {@code cuCtxWaitEvent}. */
class ContextEventTest extends DriverTest {

  @Test
  void aRecordTakesTheWorkOfAllStreams() {
    MemorySegment event = event();
    Gate first = hold(stream());
    Gate second = hold(blockingStream());
    ok(cuda_h.cuCtxRecordEvent(context(), event));
    first.open();
    expect(Result.NOT_READY, cuda_h.cuEventQuery(event));
    second.open();
    ok(cuda_h.cuEventSynchronize(event));
    ok(cuda_h.cuEventQuery(event));
  }

  @Test
  void aRecordDoesNotHoldLaterWork() {
    MemorySegment event = event();
    MemorySegment other = stream();
    Gate gate = hold(stream());
    ok(cuda_h.cuCtxRecordEvent(context(), event));
    fill(device(4), 1, 1, other);
    synchronize(other);
    expect(Result.NOT_READY, cuda_h.cuEventQuery(event));
    gate.open();
    ok(cuda_h.cuEventSynchronize(event));
  }

  @Test
  void aWaitDelaysTheStreamsThatExistAndThoseMadeLater() {
    MemorySegment event = event();
    MemorySegment held = stream();
    MemorySegment existing = stream();
    Gate gate = hold(held);
    record(event, held);
    ok(cuda_h.cuCtxWaitEvent(context(), event));
    MemorySegment later = stream();
    expectHeld(existing);
    expect(Result.NOT_READY, cuda_h.cuStreamQuery(later));
    gate.open();
    synchronize(existing);
    synchronize(later);
    synchronize(stream());
  }

  @Test
  void anEventThatWasNeverRecordedDelaysNothing() {
    ok(cuda_h.cuCtxWaitEvent(context(), event()));
    ok(cuda_h.cuStreamQuery(stream()));
  }

  @Test
  void theEventOfARecordBelongsToTheContext() {
    MemorySegment event = event();
    MemorySegment other = out(slot -> cuda_h.cuCtxCreate_v4(slot, MemorySegment.NULL, 0, 0));
    expect(Result.INVALID_HANDLE, cuda_h.cuCtxRecordEvent(other, event));
    ok(cuda_h.cuCtxWaitEvent(other, event));
    ok(cuda_h.cuCtxDestroy_v2(other));
    expect(Result.INVALID_CONTEXT, cuda_h.cuCtxRecordEvent(other, event));
    expect(Result.INVALID_CONTEXT, cuda_h.cuCtxWaitEvent(MemorySegment.NULL, event));
    expect(Result.INVALID_HANDLE, cuda_h.cuCtxWaitEvent(context(), MemorySegment.NULL));
  }

  @Test
  void bothAreRefusedWhileAStreamOfTheContextCaptures() {
    MemorySegment event = event();
    MemorySegment stream = stream();
    begin(stream, RELAXED);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuCtxRecordEvent(context(), event));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
    begin(stream, RELAXED);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuCtxWaitEvent(context(), event));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
  }

  @Test
  void allCapturesOfTheContextAreInvalidated() {
    MemorySegment first = stream();
    MemorySegment second = stream();
    begin(first, RELAXED);
    begin(second, RELAXED);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuCtxRecordEvent(context(), event()));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, first);
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, second);
  }

  @Test
  void anotherContextCannotWaitForAnEventOfACapture() {
    MemorySegment event = event();
    MemorySegment stream = stream();
    begin(stream, RELAXED);
    record(event, stream);
    MemorySegment other = out(slot -> cuda_h.cuCtxCreate_v4(slot, MemorySegment.NULL, 0, 0));
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuCtxWaitEvent(other, event));
    ok(cuda_h.cuCtxDestroy_v2(other));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
    expect(Result.INVALID_VALUE, cuda_h.cuCtxWaitEvent(context(), event));
  }

  @Test
  void aContextIsDestroyedWithItsRecords() {
    MemorySegment other = out(slot -> cuda_h.cuCtxCreate_v4(slot, MemorySegment.NULL, 0, 0));
    MemorySegment event = event();
    Gate gate = hold(stream());
    ok(cuda_h.cuCtxRecordEvent(other, event));
    Thread opener = new Thread(gate::open);
    opener.start();
    ok(cuda_h.cuCtxDestroy_v2(other));
    assertThat(out(cuda_h::cuCtxGetCurrent)).isEqualTo(context());
  }
}
