package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUstreamCallback;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** What becomes of a context after a fault of asynchronous work. */
class FaultTest extends DriverTest {

  /** Writes where nothing is allocated. */
  private void fault(MemorySegment stream) {
    long buffer = device(4);
    launch(kernel(probe(), "fill"), 1, 1, stream, buffer + 4096, 1, 1);
  }

  @Test
  void aFaultIsReportedByTheCallThatWaits() {
    MemorySegment stream = stream();
    fault(stream);
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamSynchronize(stream));
  }

  @Test
  void everyLaterCallOfTheContextAnswersTheSame() {
    MemorySegment stream = stream();
    MemorySegment other = stream();
    MemorySegment event = event();
    long buffer = device(4);
    fault(stream);
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamSynchronize(stream));
    MemorySegment slot = arena().allocate(8);
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuMemAlloc_v2(slot, 64));
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamCreate(slot, 0));
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamQuery(other));
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuEventRecord(event, other));
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuMemsetD32Async(buffer, 1, 1, other));
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuCtxSynchronize());
  }

  @Test
  void workBehindTheFaultIsNotDone() {
    MemorySegment stream = stream();
    boolean[] ran = new boolean[1];
    Gate gate = hold(stream);
    fault(stream);
    hostFunction(stream, () -> ran[0] = true);
    gate.open();
    ok(cuda_h.cuDevicePrimaryCtxReset_v2(0));
    assertThat(ran[0]).isFalse();
  }

  @Test
  void destroyingWorksAndANewContextIsHealthy() {
    MemorySegment stream = stream();
    MemorySegment event = event();
    long buffer = device(4);
    fault(stream);
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamSynchronize(stream));
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamDestroy_v2(stream));
    expect(Result.INVALID_HANDLE, cuda_h.cuStreamDestroy_v2(stream));
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuEventDestroy_v2(event));
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuMemFree_v2(buffer));
    ok(cuda_h.cuDevicePrimaryCtxReset_v2(0));
    ok(cuda_h.cuCtxSetCurrent(out(slot -> cuda_h.cuDevicePrimaryCtxRetain(slot, 0))));
    MemorySegment fresh = stream();
    long memory = device(4);
    fill(memory, 3, 1, fresh);
    synchronize(fresh);
    assertThat(read(memory, 1)).containsExactly(3);
  }

  @Test
  void aTrapIsALaunchFailure() {
    MemorySegment stream = stream();
    launch(kernel(probe(), "trap"), 1, 1, stream);
    expect(Result.LAUNCH_FAILED, cuda_h.cuStreamSynchronize(stream));
    expect(Result.LAUNCH_FAILED, cuda_h.cuCtxSynchronize());
  }

  @Test
  void aMisalignedAccessHasItsOwnCode() {
    MemorySegment stream = stream();
    launch(kernel(probe(), "fill"), 1, 1, stream, device(16) + 2, 1, 1);
    expect(Result.MISALIGNED_ADDRESS, cuda_h.cuStreamSynchronize(stream));
  }

  @Test
  void aCopyFromMemoryThatWasFreedMeanwhileIsAFault() {
    MemorySegment stream = stream();
    MemorySegment other = stream();
    MemorySegment host = pinned(4);
    long buffer = outLong(slot -> cuda_h.cuMemAllocAsync(slot, 64, other));
    Gate gate = hold(stream);
    ok(cuda_h.cuMemcpyDtoHAsync_v2(host, buffer, 4, stream));
    ok(cuda_h.cuMemFreeAsync(buffer, other));
    synchronize(other);
    gate.open();
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamSynchronize(stream));
  }

  @Test
  void aFaultInAGraphPoisonsToo() {
    MemorySegment stream = stream();
    begin(stream, RELAXED);
    MemorySegment mode = arena().allocateFrom(JAVA_INT, RELAXED);
    ok(cuda_h.cuThreadExchangeStreamCaptureMode(mode));
    fault(stream);
    MemorySegment exec = instantiate(end(stream));
    ok(cuda_h.cuGraphLaunch(exec, stream));
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamSynchronize(stream));
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuGraphLaunch(exec, stream));
  }

  @Test
  void aCallbackRunsAfterAFaultAndIsToldTheCode() {
    MemorySegment stream = stream();
    int[] told = {-1};
    MemorySegment callback =
        CUstreamCallback.allocate((handle, code, data) -> told[0] = code, arena());
    MemorySegment none = MemorySegment.NULL;
    ok(cuda_h.cuStreamAddCallback(stream, callback, none, 0));
    synchronize(stream);
    assertThat(told[0]).isZero();
    Gate gate = hold(stream);
    fault(stream);
    ok(cuda_h.cuStreamAddCallback(stream, callback, none, 0));
    gate.open();
    // A poisoned context answers at once; only its end waits for what is still queued.
    ok(cuda_h.cuDevicePrimaryCtxReset_v2(0));
    assertThat(told[0]).isEqualTo(Result.ILLEGAL_ADDRESS.code());
  }
}
