package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The device, the primary context, and what is current to a thread. */
class ContextTest extends DriverTest {

  @Test
  void thereIsOneDevice() {
    assertThat(outInt(cuda_h::cuDeviceGetCount)).isEqualTo(1);
    expect(Result.INVALID_DEVICE, cuda_h.cuDeviceGet(arena().allocate(4), 1));
    MemorySegment name = arena().allocate(64);
    ok(cuda_h.cuDeviceGetName(name, 64, 0));
    assertThat(name.getString(0)).startsWith("Reprise Software GPU (").endsWith(")");
    ok(cuda_h.cuDeviceGetName(name, 8, 0));
    assertThat(name.getString(0)).isEqualTo("Reprise");
  }

  @Test
  void attributesAreThoseOfComputeCapabilityNine() {
    assertThat(attribute(75)).isEqualTo(9);
    assertThat(attribute(76)).isZero();
    assertThat(attribute(10)).isEqualTo(32);
    assertThat(attribute(1)).isEqualTo(1024);
    assertThat(attribute(97)).isEqualTo(227 << 10);
    assertThat(attribute(16)).isPositive();
    MemorySegment slot = arena().allocate(4);
    expect(Result.INVALID_VALUE, cuda_h.cuDeviceGetAttribute(slot, 0, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuDeviceGetAttribute(slot, 1000, 0));
  }

  private int attribute(int number) {
    return outInt(slot -> cuda_h.cuDeviceGetAttribute(slot, number, 0));
  }

  @Test
  void theDeviceKeepsItsUuid() {
    MemorySegment first = arena().allocate(16);
    MemorySegment second = arena().allocate(16);
    ok(cuda_h.cuDeviceGetUuid_v2(first, 0));
    ok(cuda_h.cuDeviceGetUuid_v2(second, 0));
    assertThat(first.mismatch(second)).isEqualTo(-1);
    assertThat(first.get(JAVA_LONG, 0)).isNotZero();
  }

  @Test
  void callsNeedACurrentContext() {
    ok(cuda_h.cuCtxSetCurrent(MemorySegment.NULL));
    expect(Result.INVALID_CONTEXT, cuda_h.cuMemAlloc_v2(arena().allocate(8), 64));
    expect(Result.INVALID_CONTEXT, cuda_h.cuStreamCreate(arena().allocate(8), 0));
    expect(Result.INVALID_CONTEXT, cuda_h.cuCtxSynchronize());
    assertThat(out(cuda_h::cuCtxGetCurrent)).isEqualTo(MemorySegment.NULL);
  }

  @Test
  void theCurrentContextIsTheThreadsOwn() {
    Thread thread =
        new Thread(
            () -> assertThat(cuda_h.cuCtxSynchronize()).isEqualTo(Result.INVALID_CONTEXT.code()));
    boolean[] failed = new boolean[1];
    thread.setUncaughtExceptionHandler((dead, thrown) -> failed[0] = true);
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
    assertThat(failed[0]).isFalse();
  }

  @Test
  void contextsAreAStack() {
    MemorySegment own = out(slot -> cuda_h.cuCtxCreate_v4(slot, MemorySegment.NULL, 0, 0));
    assertThat(out(cuda_h::cuCtxGetCurrent)).isEqualTo(own);
    assertThat(out(cuda_h::cuCtxPopCurrent_v2)).isEqualTo(own);
    assertThat(out(cuda_h::cuCtxGetCurrent)).isEqualTo(context());
    ok(cuda_h.cuCtxPushCurrent_v2(own));
    ok(cuda_h.cuCtxDestroy_v2(own));
    assertThat(out(cuda_h::cuCtxGetCurrent)).isEqualTo(context());
    expect(Result.INVALID_CONTEXT, cuda_h.cuCtxPushCurrent_v2(own));
    ok(cuda_h.cuCtxPopCurrent_v2(MemorySegment.NULL));
    expect(Result.INVALID_CONTEXT, cuda_h.cuCtxPopCurrent_v2(MemorySegment.NULL));
  }

  @Test
  void theLastReleaseDestroysThePrimaryContext() {
    assertThat(out(slot -> cuda_h.cuDevicePrimaryCtxRetain(slot, 0))).isEqualTo(context());
    MemorySegment stream = stream();
    ok(cuda_h.cuDevicePrimaryCtxRelease_v2(0));
    synchronize(stream);
    ok(cuda_h.cuDevicePrimaryCtxRelease_v2(0));
    expect(Result.CONTEXT_IS_DESTROYED, cuda_h.cuStreamSynchronize(stream));
    expect(Result.INVALID_CONTEXT, cuda_h.cuDevicePrimaryCtxRelease_v2(0));
    MemorySegment next = out(slot -> cuda_h.cuDevicePrimaryCtxRetain(slot, 0));
    ok(cuda_h.cuCtxSetCurrent(next));
    expect(Result.INVALID_HANDLE, cuda_h.cuStreamSynchronize(stream));
  }

  @Test
  void destroyingWaitsForTheWorkInFlight() {
    MemorySegment stream = stream();
    boolean[] done = new boolean[1];
    Gate gate = hold(stream);
    hostFunction(stream, () -> done[0] = true);
    Thread opener = new Thread(gate::open);
    opener.start();
    ok(cuda_h.cuDevicePrimaryCtxReset_v2(0));
    assertThat(done[0]).isTrue();
  }

  @Test
  void theStateOfThePrimaryContextCanBeAsked() {
    MemorySegment flags = arena().allocate(JAVA_INT);
    assertThat(outInt(slot -> cuda_h.cuDevicePrimaryCtxGetState(0, flags, slot))).isEqualTo(1);
    ok(cuda_h.cuDevicePrimaryCtxReset_v2(0));
    ok(cuda_h.cuDevicePrimaryCtxSetFlags_v2(0, 4));
    assertThat(outInt(slot -> cuda_h.cuDevicePrimaryCtxGetState(0, flags, slot))).isZero();
    assertThat(flags.get(JAVA_INT, 0)).isEqualTo(4);
    ok(cuda_h.cuDevicePrimaryCtxSetFlags_v2(0, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuDevicePrimaryCtxSetFlags_v2(0, 3));
  }

  @Test
  void limitsAreKept() {
    ok(cuda_h.cuCtxSetLimit(0, 4096));
    assertThat(outLong(slot -> cuda_h.cuCtxGetLimit(slot, 0))).isEqualTo(4096);
    expect(Result.UNSUPPORTED_LIMIT, cuda_h.cuCtxGetLimit(arena().allocate(8), 3));
    expect(Result.UNSUPPORTED_LIMIT, cuda_h.cuCtxSetLimit(99, 1));
  }

  @Test
  void prioritiesHaveARange() {
    MemorySegment least = arena().allocate(JAVA_INT);
    assertThat(outInt(slot -> cuda_h.cuCtxGetStreamPriorityRange(least, slot))).isNegative();
    assertThat(least.get(JAVA_INT, 0)).isZero();
  }

  @Test
  void flagsCanBeChanged() {
    assertThat(outInt(cuda_h::cuCtxGetFlags)).isZero();
    ok(cuda_h.cuCtxSetFlags(4));
    assertThat(outInt(cuda_h::cuCtxGetFlags)).isEqualTo(4);
    expect(Result.INVALID_VALUE, cuda_h.cuCtxSetFlags(3));
  }

  @Test
  void contextsCannotBeLimitedToSomeMultiprocessors() {
    MemorySegment none = MemorySegment.NULL;
    MemorySegment own = out(slot -> cuda_h.cuCtxCreate_v3(slot, none, 0, 0, 0));
    assertThat(out(cuda_h::cuCtxGetCurrent)).isEqualTo(own);
    ok(cuda_h.cuCtxDestroy_v2(own));
    MemorySegment affinity = arena().allocate(8);
    MemorySegment slot = arena().allocate(8);
    expect(Result.UNSUPPORTED_EXEC_AFFINITY, cuda_h.cuCtxCreate_v3(slot, affinity, 1, 0, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuCtxCreate_v3(slot, none, 1, 0, 0));
    expect(Result.UNSUPPORTED_EXEC_AFFINITY, cuda_h.cuCtxGetExecAffinity(affinity, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuCtxGetExecAffinity(affinity, 1));
    assertThat(outInt(out -> cuda_h.cuDeviceGetExecAffinitySupport(out, 0, 0))).isZero();
  }

  @Test
  void preferencesAreCheckedAndKept() {
    assertThat(outInt(cuda_h::cuCtxGetCacheConfig)).isZero();
    ok(cuda_h.cuCtxSetCacheConfig(2));
    assertThat(outInt(cuda_h::cuCtxGetCacheConfig)).isEqualTo(2);
    expect(Result.INVALID_VALUE, cuda_h.cuCtxSetCacheConfig(4));
    ok(cuda_h.cuCtxSetSharedMemConfig(2));
    assertThat(outInt(cuda_h::cuCtxGetSharedMemConfig)).as("four bytes").isEqualTo(1);
    expect(Result.INVALID_VALUE, cuda_h.cuCtxSetSharedMemConfig(3));
    ok(cuda_h.cuCtxResetPersistingL2Cache());
    MemorySegment kernel = kernel(probe(), "nothing");
    ok(cuda_h.cuFuncSetCacheConfig(kernel, 1));
    ok(cuda_h.cuFuncSetSharedMemConfig(kernel, 1));
    expect(Result.INVALID_VALUE, cuda_h.cuFuncSetCacheConfig(kernel, -1));
    expect(Result.INVALID_VALUE, cuda_h.cuFuncSetSharedMemConfig(kernel, -1));
    expect(Result.INVALID_HANDLE, cuda_h.cuFuncSetCacheConfig(MemorySegment.NULL, 1));
  }
}
