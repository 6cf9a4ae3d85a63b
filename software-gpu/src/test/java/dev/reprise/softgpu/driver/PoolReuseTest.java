package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.CUmemPoolProps;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Allocations that get the room of frees which are queued and have not run. */
class PoolReuseTest extends DriverTest {

  private static final int USED_CURRENT = 7;
  private static final int ALLOW_INTERNAL_DEPENDENCIES = 3;

  private MemorySegment pool(long maxSize) {
    MemorySegment props = CUmemPoolProps.allocate(arena()).fill((byte) 0);
    CUmemPoolProps.allocType(props, 1);
    CUmemPoolProps.maxSize(props, maxSize);
    CUmemLocation.type(CUmemPoolProps.location(props), 1);
    return out(slot -> cuda_h.cuMemPoolCreate(slot, props));
  }

  private long used(MemorySegment pool) {
    return outLong(slot -> cuda_h.cuMemPoolGetAttribute(pool, USED_CURRENT, slot));
  }

  private long allocate(MemorySegment pool, long bytes, MemorySegment stream) {
    return outLong(slot -> cuda_h.cuMemAllocFromPoolAsync(slot, bytes, pool, stream));
  }

  private long freeBytes() {
    MemorySegment free = arena().allocate(JAVA_LONG);
    ok(cuda_h.cuMemGetInfo_v2(free, arena().allocate(JAVA_LONG)));
    return free.get(JAVA_LONG, 0);
  }

  @Test
  void aFreeBeforeOnTheSameStreamMakesRoomWithoutAWait() {
    MemorySegment stream = stream();
    MemorySegment pool = pool(4096);
    Gate gate = hold(stream);
    // Nothing runs before the gate opens, which is after the last of these calls.
    for (int i = 0; i < 5; i++) {
      long a = allocate(pool, 4096, stream);
      fill(a, i, 1024, stream);
      assertThat(used(pool)).isEqualTo(4096);
      expect(
          Result.OUT_OF_MEMORY,
          cuda_h.cuMemAllocFromPoolAsync(arena().allocate(8), 1, pool, stream));
      ok(cuda_h.cuMemFreeAsync(a, stream));
    }
    long last = allocate(pool, 4096, stream);
    expect(Result.NOT_READY, cuda_h.cuStreamQuery(stream));
    gate.open();
    synchronize(stream);
    assertThat(used(pool)).isEqualTo(4096);
    ok(cuda_h.cuMemFreeAsync(last, stream));
    synchronize(stream);
    assertThat(used(pool)).isZero();
    ok(cuda_h.cuMemPoolDestroy(pool));
  }

  @Test
  void theSameHoldsForTheMemoryOfTheDevice() {
    MemorySegment stream = stream();
    long before = freeBytes();
    long most = before - (before >> 2);
    long a = outLong(slot -> cuda_h.cuMemAllocAsync(slot, most, stream));
    Gate gate = hold(stream);
    expect(Result.OUT_OF_MEMORY, cuda_h.cuMemAllocAsync(arena().allocate(8), most, stream));
    ok(cuda_h.cuMemFreeAsync(a, stream));
    long b = outLong(slot -> cuda_h.cuMemAllocAsync(slot, most, stream));
    assertThat(freeBytes()).isEqualTo(before - most);
    expect(Result.OUT_OF_MEMORY, cuda_h.cuMemAllocAsync(arena().allocate(8), most, stream));
    ok(cuda_h.cuMemFreeAsync(b, stream));
    gate.open();
    synchronize(stream);
    assertThat(freeBytes()).isEqualTo(before);
  }

  @Test
  void aFreeOnAnotherStreamIsWaitedForByTheStream() {
    MemorySegment stream = stream();
    MemorySegment other = stream();
    MemorySegment pool = pool(4096);
    long a = allocate(pool, 4096, other);
    Gate gate = hold(other);
    ok(cuda_h.cuMemFreeAsync(a, other));
    long b = allocate(pool, 4096, stream);
    fill(b, 1, 1, stream);
    expectHeld(stream);
    gate.open();
    synchronize(stream);
    ok(cuda_h.cuMemFreeAsync(b, stream));
    synchronize(stream);
    assertThat(used(pool)).isZero();
    ok(cuda_h.cuMemPoolDestroy(pool));
  }

  @Test
  void withoutInternalDependenciesTheCallWaits() throws InterruptedException {
    MemorySegment stream = stream();
    MemorySegment other = stream();
    MemorySegment pool = pool(4096);
    ok(
        cuda_h.cuMemPoolSetAttribute(
            pool, ALLOW_INTERNAL_DEPENDENCIES, arena().allocateFrom(JAVA_INT, 0)));
    long a = allocate(pool, 4096, other);
    Gate gate = hold(other);
    ok(cuda_h.cuMemFreeAsync(a, other));
    Thread opener = new Thread(gate::open);
    opener.start();
    long b = allocate(pool, 4096, stream);
    ok(cuda_h.cuStreamQuery(other));
    opener.join();
    ok(cuda_h.cuMemFreeAsync(b, stream));
    synchronize(stream);
    ok(cuda_h.cuMemPoolDestroy(pool));
  }

  @Test
  void theRoomOfOneFreeIsGivenOnce() {
    MemorySegment stream = stream();
    MemorySegment pool = pool(8192);
    long a = allocate(pool, 4096, stream);
    long b = allocate(pool, 4096, stream);
    Gate gate = hold(stream);
    ok(cuda_h.cuMemFreeAsync(a, stream));
    long c = allocate(pool, 4096, stream);
    expect(
        Result.OUT_OF_MEMORY,
        cuda_h.cuMemAllocFromPoolAsync(arena().allocate(8), 4096, pool, stream));
    gate.open();
    synchronize(stream);
    assertThat(used(pool)).isEqualTo(8192);
    ok(cuda_h.cuMemFreeAsync(b, stream));
    ok(cuda_h.cuMemFreeAsync(c, stream));
    synchronize(stream);
    assertThat(used(pool)).isZero();
    ok(cuda_h.cuMemPoolDestroy(pool));
  }

  @Test
  void allKindsOfReuseAreOnAndNothingIsKeptAtFirst() {
    MemorySegment pool = out(slot -> cuda_h.cuDeviceGetDefaultMemPool(slot, 0));
    for (int attribute = 1; attribute <= 3; attribute++) {
      int reuse = attribute;
      assertThat(outInt(slot -> cuda_h.cuMemPoolGetAttribute(pool, reuse, slot))).isEqualTo(1);
    }
    assertThat(outLong(slot -> cuda_h.cuMemPoolGetAttribute(pool, 4, slot))).isZero();
  }

  @Test
  void aFreeThatHasRunMakesRoomForAnyStream() {
    MemorySegment stream = stream();
    MemorySegment other = stream();
    MemorySegment pool = pool(4096);
    long a = allocate(pool, 4096, other);
    ok(cuda_h.cuMemFreeAsync(a, other));
    synchronize(other);
    long b = allocate(pool, 4096, stream);
    ok(cuda_h.cuMemFreeAsync(b, stream));
    ok(cuda_h.cuMemPoolDestroy(pool));
  }

  @Test
  void trimmingKeepsWhatIsAllocatedAndWhatIsNotYetFreed() {
    MemorySegment stream = stream();
    MemorySegment pool = pool(0);
    long kept = allocate(pool, 1024, stream);
    long freed = allocate(pool, 1024, stream);
    Gate gate = hold(stream);
    ok(cuda_h.cuMemFreeAsync(freed, stream));
    ok(cuda_h.cuMemPoolTrimTo(pool, 0));
    assertThat(used(pool)).isEqualTo(2048);
    gate.open();
    synchronize(stream);
    ok(cuda_h.cuMemPoolTrimTo(pool, 0));
    assertThat(used(pool)).isEqualTo(1024);
    fill(kept, 3, 4, stream);
    synchronize(stream);
    assertThat(read(kept, 1)).containsExactly(3);
    expect(Result.INVALID_VALUE, cuda_h.cuMemPoolTrimTo(pool, -1));
    ok(cuda_h.cuMemFreeAsync(kept, stream));
    ok(cuda_h.cuMemPoolDestroy(pool));
  }
}
