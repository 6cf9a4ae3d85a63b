package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Which calls return before their work is done: "API synchronization behavior" of the manual. */
class HostSynchronyTest extends DriverTest {

  private static final MemorySegment LEGACY = MemorySegment.NULL;
  private static final long LIMIT_NANOS = 10_000_000_000L;

  private interface Call {
    int call();
  }

  /** The call returns although the legacy stream is held. */
  private void expectReturns(Call call) {
    Gate gate = hold(LEGACY);
    ok(call.call());
    expect(Result.NOT_READY, cuda_h.cuStreamQuery(LEGACY));
    gate.open();
    synchronize(LEGACY);
  }

  /** The call returns only after the legacy stream was let go, which happens once it waits. */
  private void expectWaits(Call call) {
    Gate gate = hold(LEGACY);
    AtomicBoolean passed = new AtomicBoolean();
    hostFunction(LEGACY, () -> passed.set(true));
    Thread caller = Thread.currentThread();
    Thread opener =
        new Thread(() -> {
          long start = System.nanoTime();
          while (caller.getState() != Thread.State.WAITING
              && System.nanoTime() - start < LIMIT_NANOS) {
            Thread.yield();
          }
          gate.open();
        });
    opener.start();
    ok(call.call());
    assertThat(passed).isTrue();
    try {
      opener.join();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }

  @Test
  void aCopyWithinTheDeviceDoesNotWait() {
    long from = ints(5);
    long to = ints(0);
    expectReturns(() -> cuda_h.cuMemcpyDtoD_v2(to, from, 4));
    assertThat(read(to, 1)).containsExactly(5);
  }

  @Test
  void aCopyToOrFromTheHostWaits() {
    long buffer = ints(1);
    MemorySegment pageable = arena().allocateFrom(JAVA_INT, 6);
    MemorySegment pinned = pinned(4);
    expectWaits(() -> cuda_h.cuMemcpyHtoD_v2(buffer, pageable, 4));
    expectWaits(() -> cuda_h.cuMemcpyDtoH_v2(pinned, buffer, 4));
    assertThat(pinned.get(JAVA_INT, 0)).isEqualTo(6);
    expectWaits(() -> cuda_h.cuMemcpyHtoD_v2(buffer, pinned, 4));
    expectWaits(() -> cuda_h.cuMemcpyDtoH_v2(pageable, buffer, 4));
  }

  @Test
  void aCopyWithinTheHostWaits() {
    MemorySegment from = arena().allocateFrom(JAVA_INT, 7);
    MemorySegment to = arena().allocate(JAVA_INT);
    expectWaits(() -> cuda_h.cuMemcpy(to.address(), from.address(), 4));
    assertThat(to.get(JAVA_INT, 0)).isEqualTo(7);
  }

  @Test
  void anAsynchronousCopyToPageableMemoryIsDoneWhenItReturns() {
    long buffer = ints(8);
    MemorySegment pageable = arena().allocate(JAVA_INT);
    expectWaits(() -> cuda_h.cuMemcpyDtoHAsync_v2(pageable, buffer, 4, LEGACY));
    assertThat(pageable.get(JAVA_INT, 0)).isEqualTo(8);
  }

  @Test
  void aFillWaitsForHostMemoryOnly() {
    long buffer = device(4);
    MemorySegment pinned = pinned(4);
    expectReturns(() -> cuda_h.cuMemsetD32_v2(buffer, 1, 1));
    expectWaits(() -> cuda_h.cuMemsetD32_v2(pinned.address(), 9, 1));
    assertThat(pinned.get(JAVA_INT, 0)).isEqualTo(9);
    expectReturns(() -> cuda_h.cuMemsetD32Async(pinned.address(), 10, 1, LEGACY));
  }

  @Test
  void aMarkedRangeMakesFillsWait() {
    long buffer = device(4);
    ok(cuda_h.cuPointerSetAttribute(arena().allocateFrom(JAVA_INT, 1), 6, buffer));
    expectWaits(() -> cuda_h.cuMemsetD32_v2(buffer, 1, 1));
    ok(cuda_h.cuPointerSetAttribute(arena().allocateFrom(JAVA_INT, 0), 6, buffer));
    expectReturns(() -> cuda_h.cuMemsetD32_v2(buffer, 1, 1));
  }

  @Test
  void freeingWaitsExceptForMemoryOfAPool() {
    long plain = device(4);
    expectWaits(() -> cuda_h.cuMemFree_v2(plain));
    long pooled = outLong(slot -> cuda_h.cuMemAllocAsync(slot, 4, stream()));
    expectReturns(() -> cuda_h.cuMemFree_v2(pooled));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFree_v2(pooled));
  }
}
