package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUstreamCallback;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.faults.FaultPlan;
import dev.reprise.softgpu.faults.FaultRule;
import dev.reprise.softgpu.faults.FaultSession;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

  /** Codes after which, by the documentation of {@code CUresult}, all later work fails alike. */
  private static final Set<Integer> STICKY =
      Set.of(214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911);

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SUCCESS")
  void aCodeSticksWhenItsDocumentationSaysSo(Result result) {
    FaultRule rule = FaultRule.call("cuCtxSynchronize", 1, result.code());
    MemorySegment slot = arena().allocate(8);
    try (FaultSession session =
        SoftwareDriver.ofProcess().orElseThrow().faults().install(FaultPlan.of(rule))) {
      expect(result, cuda_h.cuCtxSynchronize());
      assertThat(session.injected()).hasSize(1);
    }
    boolean sticky = STICKY.contains(result.code());
    expect(sticky ? result : Result.SUCCESS, cuda_h.cuMemAlloc_v2(slot, 64));
    expect(sticky ? result : Result.SUCCESS, cuda_h.cuCtxSynchronize());
  }

  @Test
  void anotherThreadLearnsThatItsContextWasDestroyed() {
    MemorySegment own = out(slot -> cuda_h.cuCtxCreate_v4(slot, MemorySegment.NULL, 0, 0));
    CountDownLatch current = new CountDownLatch(1);
    CountDownLatch destroyed = new CountDownLatch(1);
    int[] codes = new int[2];
    Thread other =
        new Thread(() -> {
          codes[0] = cuda_h.cuCtxSetCurrent(own);
          current.countDown();
          await(destroyed);
          codes[1] = cuda_h.cuMemAlloc_v2(arena().allocate(8), 64);
        });
    other.start();
    await(current);
    ok(cuda_h.cuCtxDestroy_v2(own));
    destroyed.countDown();
    try {
      other.join();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
    ok(codes[0]);
    expect(Result.CONTEXT_IS_DESTROYED, codes[1]);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }

  @Test
  void aDestroyedContextTakesItsMemoryButNotThatOfPools() {
    MemorySegment own = out(slot -> cuda_h.cuCtxCreate_v4(slot, MemorySegment.NULL, 0, 0));
    MemorySegment stream = stream();
    long plain = device(64);
    long pooled = outLong(slot -> cuda_h.cuMemAllocAsync(slot, 64, stream));
    synchronize(stream);
    ok(cuda_h.cuCtxDestroy_v2(own));
    ok(cuda_h.cuCtxSetCurrent(context()));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFree_v2(plain));
    fill(pooled, 1, 16, stream());
    ok(cuda_h.cuCtxSynchronize());
    ok(cuda_h.cuMemFree_v2(pooled));
  }

  @Test
  void aCallbackMayNotCallTheDriverEither() {
    MemorySegment stream = stream();
    int[] answer = {-1};
    MemorySegment callback =
        CUstreamCallback.allocate(
            (handle, code, data) -> answer[0] = cuda_h.cuCtxSynchronize(), arena());
    ok(cuda_h.cuStreamAddCallback(stream, callback, MemorySegment.NULL, 0));
    synchronize(stream);
    expect(Result.NOT_PERMITTED, answer[0]);
  }
}
