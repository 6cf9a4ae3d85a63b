package dev.reprise.softgpu.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that fail during a capture, whatever its mode, and what becomes of the capture. */
class CaptureConflictTest extends DriverTest {

  private static final MemorySegment LEGACY = MemorySegment.NULL;
  private static final int ACTIVE = 1;
  private static final int INVALIDATED = 2;

  @ParameterizedTest
  @ValueSource(ints = {GLOBAL, THREAD_LOCAL, RELAXED})
  void waitingForACapturingStreamInvalidates(int mode) {
    MemorySegment stream = stream();
    begin(stream, mode);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuStreamSynchronize(stream));
    assertThat(captureStatus(stream)).isEqualTo(INVALIDATED);
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
  }

  @ParameterizedTest
  @ValueSource(ints = {GLOBAL, THREAD_LOCAL, RELAXED})
  void queryingACapturingStreamInvalidates(int mode) {
    MemorySegment stream = stream();
    begin(stream, mode);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuStreamQuery(stream));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
  }

  @ParameterizedTest
  @ValueSource(ints = {GLOBAL, THREAD_LOCAL, RELAXED})
  void waitingForTheContextInvalidates(int mode) {
    MemorySegment stream = stream();
    begin(stream, mode);
    onAnotherThread(() -> expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuCtxSynchronize()));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
  }

  @ParameterizedTest
  @ValueSource(ints = {GLOBAL, THREAD_LOCAL, RELAXED})
  void waitingForACapturedEventInvalidates(int mode) {
    MemorySegment stream = stream();
    MemorySegment event = event();
    begin(stream, mode);
    record(event, stream);
    expect(Result.CAPTURED_EVENT, cuda_h.cuEventSynchronize(event));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
    expect(Result.CAPTURED_EVENT, cuda_h.cuEventQuery(event));
  }

  @Test
  void workOnAnInvalidatedStreamIsRefused() {
    MemorySegment stream = stream();
    MemorySegment event = event();
    long buffer = device(4);
    begin(stream, THREAD_LOCAL);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuStreamQuery(stream));
    expect(Result.STREAM_CAPTURE_INVALIDATED, cuda_h.cuMemsetD32Async(buffer, 1, 1, stream));
    expect(Result.STREAM_CAPTURE_INVALIDATED, cuda_h.cuEventRecord(event, stream));
    expect(Result.STREAM_CAPTURE_INVALIDATED, cuda_h.cuStreamWaitEvent(stream, event, 0));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
    fill(buffer, 3, 1, stream);
    synchronize(stream);
    assertThat(read(buffer, 1)).containsExactly(3);
  }

  @Test
  void theLegacyStreamIsRefusedWhileABlockingStreamCaptures() {
    MemorySegment blocking = blockingStream();
    long buffer = device(4);
    begin(blocking, RELAXED);
    expect(Result.STREAM_CAPTURE_IMPLICIT, cuda_h.cuMemsetD32Async(buffer, 1, 1, LEGACY));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, blocking);
  }

  @Test
  void synchronousCopiesAreRefusedWhileABlockingStreamCaptures() {
    MemorySegment blocking = blockingStream();
    long buffer = device(4);
    begin(blocking, RELAXED);
    expect(Result.STREAM_CAPTURE_IMPLICIT, cuda_h.cuMemcpyHtoD_v2(buffer, arena().allocate(4), 4));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, blocking);
  }

  @Test
  void theLegacyStreamIsFreeWhileOnlyANonBlockingStreamCaptures() {
    MemorySegment stream = stream();
    long buffer = device(4);
    begin(stream, THREAD_LOCAL);
    fill(buffer, 1, 1, LEGACY);
    assertThat(captureStatus(stream)).isEqualTo(ACTIVE);
    end(stream);
  }

  @Test
  void askingTheLegacyStreamAboutACaptureIsImplicitAndHarmless() {
    MemorySegment blocking = blockingStream();
    begin(blocking, THREAD_LOCAL);
    expect(Result.STREAM_CAPTURE_IMPLICIT, cuda_h.cuStreamIsCapturing(LEGACY, arena().allocate(4)));
    assertThat(captureStatus(blocking)).isEqualTo(ACTIVE);
    end(blocking);
  }

  @Test
  void aCaptureCannotWaitForWorkOutsideIt() {
    MemorySegment stream = stream();
    MemorySegment other = stream();
    MemorySegment event = event();
    record(event, other);
    begin(stream, THREAD_LOCAL);
    expect(Result.STREAM_CAPTURE_ISOLATION, cuda_h.cuStreamWaitEvent(stream, event, 0));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
  }

  @Test
  void twoCapturesCannotMerge() {
    MemorySegment first = stream();
    MemorySegment second = stream();
    MemorySegment event = event();
    begin(first, THREAD_LOCAL);
    begin(second, THREAD_LOCAL);
    record(event, first);
    expect(Result.STREAM_CAPTURE_MERGE, cuda_h.cuStreamWaitEvent(second, event, 0));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, first);
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, second);
  }

  @Test
  void anIdleStreamCannotJoinAnInvalidatedCapture() {
    MemorySegment stream = stream();
    MemorySegment idle = stream();
    MemorySegment event = event();
    begin(stream, THREAD_LOCAL);
    record(event, stream);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuStreamQuery(stream));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamWaitEvent(idle, event, 0));
    assertThat(captureStatus(idle)).isZero();
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
  }

  @Test
  void freeingOrdinaryMemoryInStreamOrderIsRefused() {
    MemorySegment stream = stream();
    long memory = outLong(slot -> cuda_h.cuMemAllocAsync(slot, 64, stream));
    begin(stream, THREAD_LOCAL);
    expect(Result.INVALID_VALUE, cuda_h.cuMemFreeAsync(memory, stream));
    end(stream);
    ok(cuda_h.cuMemFreeAsync(memory, stream));
  }

  @Test
  void destroyingACapturingStreamIsRefused() {
    MemorySegment stream = stream();
    begin(stream, THREAD_LOCAL);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuStreamDestroy_v2(stream));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
    ok(cuda_h.cuStreamDestroy_v2(stream));
  }

  @Test
  void pageableCopiesMayBeCaptured() {
    MemorySegment stream = stream();
    long buffer = device(4);
    begin(stream, THREAD_LOCAL);
    ok(cuda_h.cuMemcpyHtoDAsync_v2(buffer, arena().allocate(4), 4, stream));
    assertThat(nodes(end(stream))).hasSize(1);
  }

  @Test
  void launchesAndHostFunctionsOnTheLegacyStreamAreImplicitToo() {
    MemorySegment blocking = blockingStream();
    MemorySegment kernel = kernel(probe(), "nothing");
    MemorySegment function = hostFunction(() -> {});
    MemorySegment none = MemorySegment.NULL;
    begin(blocking, RELAXED);
    expect(Result.STREAM_CAPTURE_IMPLICIT, tryLaunch(kernel, 1, 1, LEGACY));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, blocking);
    begin(blocking, RELAXED);
    expect(Result.STREAM_CAPTURE_IMPLICIT, cuda_h.cuLaunchHostFunc(LEGACY, function, none));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, blocking);
  }

  @Test
  void synchronousFillsAreImplicitToo() {
    MemorySegment blocking = blockingStream();
    long buffer = device(4);
    begin(blocking, RELAXED);
    expect(Result.STREAM_CAPTURE_IMPLICIT, cuda_h.cuMemsetD32_v2(buffer, 1, 1));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, blocking);
  }

  @Test
  void capturingTheThreadsOwnStreamIsImplicitForTheLegacyOne() {
    MemorySegment own = MemorySegment.ofAddress(2);
    MemorySegment none = MemorySegment.NULL;
    begin(own, RELAXED);
    MemorySegment status = arena().allocate(4);
    expect(
        Result.STREAM_CAPTURE_IMPLICIT,
        cuda_h.cuStreamGetCaptureInfo_v3(LEGACY, status, none, none, none, none, none));
    assertThat(captureStatus(own)).isEqualTo(ACTIVE);
    end(own);
  }

  @Test
  void anInvalidatedStreamCannotWaitForItsOwnEvent() {
    MemorySegment stream = stream();
    MemorySegment event = event();
    begin(stream, RELAXED);
    record(event, stream);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuStreamQuery(stream));
    expect(Result.STREAM_CAPTURE_INVALIDATED, cuda_h.cuStreamWaitEvent(stream, event, 0));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
  }

  @Test
  void managedMemoryIsNotAttachedInACapture() {
    MemorySegment stream = stream();
    begin(stream, RELAXED);
    expect(Result.NOT_SUPPORTED, cuda_h.cuStreamAttachMemAsync(stream, device(4), 0, 4));
    end(stream);
  }
}
