package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Device memory, pinned memory, pools, and what an address is. */
class MemoryTest extends DriverTest {

  private long[] info() {
    MemorySegment free = arena().allocate(JAVA_LONG);
    long total = outLong(slot -> cuda_h.cuMemGetInfo_v2(free, slot));
    return new long[] {free.get(JAVA_LONG, 0), total};
  }

  @Test
  void allocationTakesMemoryAndFreeingGivesItBack() {
    long before = info()[0];
    long buffer = device(1 << 20);
    assertThat(info()[0]).isEqualTo(before - (1 << 20));
    ok(cuda_h.cuMemFree_v2(buffer));
    assertThat(info()[0]).isEqualTo(before);
  }

  @Test
  void addressesAreAlignedAndNeverReused() {
    long first = device(100);
    assertThat(first % 256).isZero();
    ok(cuda_h.cuMemFree_v2(first));
    assertThat(device(100)).isNotEqualTo(first);
  }

  @Test
  void moreThanTheDeviceHasIsOutOfMemory() {
    long total = info()[1];
    expect(Result.OUT_OF_MEMORY, cuda_h.cuMemAlloc_v2(arena().allocate(8), total + 1));
    assertThat(outLong(slot -> cuda_h.cuDeviceTotalMem_v2(slot, 0))).isEqualTo(total);
  }

  @Test
  void nothingAndNowhereAreRefused() {
    expect(Result.INVALID_VALUE, cuda_h.cuMemAlloc_v2(arena().allocate(8), 0));
    expect(Result.INVALID_VALUE, cuda_h.cuMemAlloc_v2(MemorySegment.NULL, 8));
  }

  @Test
  void onlyTheStartOfALiveAllocationCanBeFreed() {
    long buffer = device(1024);
    expect(Result.INVALID_VALUE, cuda_h.cuMemFree_v2(buffer + 256));
    ok(cuda_h.cuMemFree_v2(buffer));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFree_v2(buffer));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFree_v2(0));
    MemorySegment pinned = pinned(64);
    expect(Result.INVALID_VALUE, cuda_h.cuMemFree_v2(pinned.address()));
    ok(cuda_h.cuMemFreeHost(pinned));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFreeHost(pinned));
  }

  @Test
  void freeingWaitsForTheWorkThatMayUseIt() {
    MemorySegment stream = stream();
    long buffer = ints(1);
    MemorySegment host = pinned(4);
    for (int i = 0; i < 100; i++) {
      fill(buffer, i, 1, stream);
    }
    ok(cuda_h.cuMemcpyDtoHAsync_v2(host, buffer, 4, stream));
    ok(cuda_h.cuMemFree_v2(buffer));
    assertThat(host.get(JAVA_INT, 0)).isEqualTo(99);
    ok(cuda_h.cuCtxSynchronize());
  }

  @Test
  void anAddressBelongsToItsAllocation() {
    long buffer = device(1000);
    MemorySegment size = arena().allocate(JAVA_LONG);
    long base = outLong(slot -> cuda_h.cuMemGetAddressRange_v2(slot, size, buffer + 999));
    assertThat(base).isEqualTo(buffer);
    assertThat(size.get(JAVA_LONG, 0)).isEqualTo(1000);
    expect(
        Result.NOT_FOUND, cuda_h.cuMemGetAddressRange_v2(arena().allocate(8), size, buffer + 1000));
  }

  @Test
  void pinnedMemoryHasOneAddressAndItsFlags() {
    MemorySegment pinned = out(slot -> cuda_h.cuMemHostAlloc(slot, 64, 3));
    assertThat(outLong(slot -> cuda_h.cuMemHostGetDevicePointer_v2(slot, pinned, 0)))
        .isEqualTo(pinned.address());
    assertThat(outInt(slot -> cuda_h.cuMemHostGetFlags(slot, pinned))).isEqualTo(3);
    expect(Result.INVALID_VALUE, cuda_h.cuMemHostAlloc(arena().allocate(8), 64, 8));
  }

  @Test
  void hostMemoryIsRegisteredOnce() {
    MemorySegment host = arena().allocate(8192, 4096);
    ok(cuda_h.cuMemHostRegister_v2(host, 8192, 0));
    expect(
        Result.HOST_MEMORY_ALREADY_REGISTERED,
        cuda_h.cuMemHostRegister_v2(host.asSlice(4096), 4096, 0));
    ok(cuda_h.cuMemHostUnregister(host));
    expect(Result.HOST_MEMORY_NOT_REGISTERED, cuda_h.cuMemHostUnregister(host));
  }

  @Test
  void pointersTellWhatTheyAre() {
    long buffer = device(512);
    MemorySegment pinned = pinned(64);
    assertThat(outInt(slot -> cuda_h.cuPointerGetAttribute(slot, 2, buffer + 8))).isEqualTo(2);
    assertThat(outInt(slot -> cuda_h.cuPointerGetAttribute(slot, 2, pinned.address())))
        .isEqualTo(1);
    assertThat(outLong(slot -> cuda_h.cuPointerGetAttribute(slot, 1, buffer)))
        .isEqualTo(context().address());
    assertThat(outLong(slot -> cuda_h.cuPointerGetAttribute(slot, 11, buffer + 8)))
        .isEqualTo(buffer);
    assertThat(outLong(slot -> cuda_h.cuPointerGetAttribute(slot, 12, buffer))).isEqualTo(512);
    assertThat(outLong(slot -> cuda_h.cuPointerGetAttribute(slot, 7, buffer)))
        .isNotEqualTo(outLong(slot -> cuda_h.cuPointerGetAttribute(slot, 7, pinned.address())));
    MemorySegment slot = arena().allocate(8);
    expect(Result.INVALID_VALUE, cuda_h.cuPointerGetAttribute(slot, 2, buffer + 512));
    expect(Result.INVALID_VALUE, cuda_h.cuPointerGetAttribute(slot, 4, buffer));
    expect(Result.INVALID_VALUE, cuda_h.cuPointerGetAttribute(slot, 99, buffer));
  }

  @Test
  void pooledMemoryIsFreedInStreamOrder() {
    MemorySegment stream = stream();
    MemorySegment pool = out(slot -> cuda_h.cuDeviceGetDefaultMemPool(slot, 0));
    long before = outLong(slot -> cuda_h.cuMemPoolGetAttribute(pool, 7, slot));
    long buffer = outLong(slot -> cuda_h.cuMemAllocAsync(slot, 4096, stream));
    assertThat(outLong(slot -> cuda_h.cuMemPoolGetAttribute(pool, 7, slot)))
        .isEqualTo(before + 4096);
    Gate gate = hold(stream);
    fill(buffer, 5, 1, stream);
    MemorySegment host = pinned(4);
    ok(cuda_h.cuMemcpyDtoHAsync_v2(host, buffer, 4, stream));
    ok(cuda_h.cuMemFreeAsync(buffer, stream));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFreeAsync(buffer, stream));
    gate.open();
    synchronize(stream);
    assertThat(host.get(JAVA_INT, 0)).isEqualTo(5);
    assertThat(outLong(slot -> cuda_h.cuMemPoolGetAttribute(pool, 7, slot))).isEqualTo(before);
    expect(Result.INVALID_VALUE, cuda_h.cuMemFreeAsync(device(16), stream));
  }

  @Test
  void queuedFreesMakeRoomForAnAllocation() {
    MemorySegment stream = stream();
    long most = info()[0];
    long first = outLong(slot -> cuda_h.cuMemAllocAsync(slot, most / 4 * 3, stream));
    ok(cuda_h.cuMemFreeAsync(first, stream));
    long second = outLong(slot -> cuda_h.cuMemAllocAsync(slot, most / 4 * 3, stream));
    ok(cuda_h.cuMemFreeAsync(second, stream));
    synchronize(stream);
  }

  @Test
  void theSettingsOfAPoolAreKept() {
    MemorySegment pool = out(slot -> cuda_h.cuDeviceGetDefaultMemPool(slot, 0));
    ok(cuda_h.cuMemPoolSetAttribute(pool, 4, arena().allocateFrom(JAVA_LONG, 12345)));
    assertThat(outLong(slot -> cuda_h.cuMemPoolGetAttribute(pool, 4, slot))).isEqualTo(12345);
    // The pool outlives this test.
    ok(cuda_h.cuMemPoolSetAttribute(pool, 4, arena().allocateFrom(JAVA_LONG, 0)));
    ok(cuda_h.cuMemPoolTrimTo(pool, 0));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuMemPoolSetAttribute(pool, 7, arena().allocateFrom(JAVA_LONG, 0)));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuMemPoolGetAttribute(MemorySegment.ofAddress(5), 4, arena().allocate(8)));
  }

  @Test
  void allThatBelongsToAContextGoesWithIt() {
    long before = info()[0];
    device(1 << 16);
    pinned(1 << 16);
    ok(cuda_h.cuDevicePrimaryCtxReset_v2(0));
    ok(cuda_h.cuCtxSetCurrent(out(pctx -> cuda_h.cuDevicePrimaryCtxRetain(pctx, 0))));
    assertThat(info()[0]).isEqualTo(before);
  }

  @Test
  void newMemoryIsReadable() {
    long buffer = device(64);
    MemorySegment host = arena().allocate(64);
    ok(cuda_h.cuMemcpyDtoH_v2(host, buffer, 64));
    assertThat(host.toArray(JAVA_BYTE)).hasSize(64);
  }

  @Test
  void rowsArePaddedToThePitch() {
    MemorySegment pitch = arena().allocate(JAVA_LONG);
    long memory = outLong(slot -> cuda_h.cuMemAllocPitch_v2(slot, pitch, 513, 3, 4));
    assertThat(pitch.get(JAVA_LONG, 0)).isEqualTo(1024);
    MemorySegment size = arena().allocate(JAVA_LONG);
    ok(cuda_h.cuMemGetAddressRange_v2(MemorySegment.NULL, size, memory));
    assertThat(size.get(JAVA_LONG, 0)).isEqualTo(3072);
    ok(cuda_h.cuMemFree_v2(memory));
    MemorySegment slot = arena().allocate(JAVA_LONG);
    expect(Result.INVALID_VALUE, cuda_h.cuMemAllocPitch_v2(slot, pitch, 64, 1, 2));
    expect(Result.INVALID_VALUE, cuda_h.cuMemAllocPitch_v2(slot, pitch, 0, 1, 4));
    expect(Result.INVALID_VALUE, cuda_h.cuMemAllocPitch_v2(slot, MemorySegment.NULL, 64, 1, 4));
    expect(Result.OUT_OF_MEMORY, cuda_h.cuMemAllocPitch_v2(slot, pitch, 1L << 40, 1L << 40, 4));
  }
}
