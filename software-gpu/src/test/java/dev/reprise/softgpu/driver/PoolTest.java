package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.CUmemPoolProps;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Pools that callers make. */
class PoolTest extends DriverTest {

  private static final int RELEASE_THRESHOLD = 4;
  private static final int USED_CURRENT = 7;
  private static final int USED_HIGH = 8;

  private MemorySegment properties(long maxSize) {
    MemorySegment props = CUmemPoolProps.allocate(arena());
    CUmemPoolProps.allocType(props, 1);
    CUmemPoolProps.maxSize(props, maxSize);
    CUmemLocation.type(CUmemPoolProps.location(props), 1);
    return props;
  }

  private MemorySegment pool(long maxSize) {
    return out(slot -> cuda_h.cuMemPoolCreate(slot, properties(maxSize)));
  }

  private long attribute(MemorySegment pool, int attribute) {
    return outLong(slot -> cuda_h.cuMemPoolGetAttribute(pool, attribute, slot));
  }

  private long allocate(MemorySegment pool, long bytes, MemorySegment stream) {
    return outLong(slot -> cuda_h.cuMemAllocFromPoolAsync(slot, bytes, pool, stream));
  }

  @Test
  void eachPoolCountsItsOwnMemory() {
    MemorySegment stream = stream();
    MemorySegment first = pool(0);
    MemorySegment second = pool(0);
    long a = allocate(first, 1000, stream);
    long b = allocate(first, 24, stream);
    assertThat(attribute(first, USED_CURRENT)).isEqualTo(1024);
    assertThat(attribute(second, USED_CURRENT)).isZero();
    ok(cuda_h.cuMemFreeAsync(a, stream));
    synchronize(stream);
    assertThat(attribute(first, USED_CURRENT)).isEqualTo(24);
    assertThat(attribute(first, USED_HIGH)).isEqualTo(1024);
    ok(cuda_h.cuMemPoolSetAttribute(first, USED_HIGH, arena().allocateFrom(JAVA_LONG, 0)));
    assertThat(attribute(first, USED_HIGH)).isEqualTo(24);
    ok(cuda_h.cuMemPoolSetAttribute(first, RELEASE_THRESHOLD, arena().allocateFrom(JAVA_LONG, 9)));
    assertThat(attribute(first, RELEASE_THRESHOLD)).isEqualTo(9);
    assertThat(attribute(second, RELEASE_THRESHOLD)).isZero();
    ok(cuda_h.cuMemFreeAsync(b, stream));
    ok(cuda_h.cuMemPoolDestroy(first));
    ok(cuda_h.cuMemPoolDestroy(second));
  }

  @Test
  void aPoolGivesNoMoreThanItsLimit() {
    MemorySegment stream = stream();
    MemorySegment pool = pool(4096);
    long a = allocate(pool, 4000, stream);
    expect(
        Result.OUT_OF_MEMORY,
        cuda_h.cuMemAllocFromPoolAsync(arena().allocate(8), 100, pool, stream));
    assertThat(attribute(pool, USED_CURRENT)).isEqualTo(4000);
    Gate gate = hold(stream);
    ok(cuda_h.cuMemFreeAsync(a, stream));
    gate.open();
    long b = allocate(pool, 4096, stream);
    ok(cuda_h.cuMemFreeAsync(b, stream));
    ok(cuda_h.cuMemPoolDestroy(pool));
  }

  @Test
  void memoryOutlivesItsPool() {
    MemorySegment stream = stream();
    MemorySegment pool = pool(0);
    long a = allocate(pool, 16, stream);
    ok(cuda_h.cuMemPoolDestroy(pool));
    fill(a, 5, 4, stream);
    synchronize(stream);
    assertThat(read(a, 1)).containsExactly(5);
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuMemAllocFromPoolAsync(arena().allocate(8), 16, pool, stream));
    ok(cuda_h.cuMemFreeAsync(a, stream));
    expect(Result.INVALID_VALUE, cuda_h.cuMemPoolDestroy(pool));
  }

  @Test
  void allocationsThatNameNoPoolComeFromTheCurrentOne() {
    MemorySegment stream = stream();
    MemorySegment standard = out(slot -> cuda_h.cuDeviceGetDefaultMemPool(slot, 0));
    MemorySegment own = pool(0);
    ok(cuda_h.cuDeviceSetMemPool(0, own));
    assertThat(out(slot -> cuda_h.cuDeviceGetMemPool(slot, 0))).isEqualTo(own);
    long a = outLong(slot -> cuda_h.cuMemAllocAsync(slot, 64, stream));
    assertThat(attribute(own, USED_CURRENT)).isEqualTo(64);
    ok(cuda_h.cuMemPoolDestroy(own));
    assertThat(out(slot -> cuda_h.cuDeviceGetMemPool(slot, 0))).isEqualTo(standard);
    expect(Result.INVALID_VALUE, cuda_h.cuMemPoolDestroy(standard));
    ok(cuda_h.cuMemFreeAsync(a, stream));
  }

  @Test
  void whatTheDeviceLacksIsRefused() {
    MemorySegment slot = arena().allocate(8);
    MemorySegment shared = properties(0);
    CUmemPoolProps.handleTypes(shared, 1);
    expect(Result.NOT_SUPPORTED, cuda_h.cuMemPoolCreate(slot, shared));
    MemorySegment other = properties(0);
    CUmemLocation.id(CUmemPoolProps.location(other), 1);
    expect(Result.INVALID_DEVICE, cuda_h.cuMemPoolCreate(slot, other));
    expect(Result.INVALID_VALUE, cuda_h.cuMemPoolCreate(slot, CUmemPoolProps.allocate(arena())));
  }

  @Test
  void poolsAreFoundByTheLocationOfTheirMemory() {
    MemorySegment device = CUmemLocation.allocate(arena());
    CUmemLocation.type(device, 1);
    MemorySegment standard = out(slot -> cuda_h.cuMemGetDefaultMemPool(slot, device, 1));
    assertThat(standard).isEqualTo(out(slot -> cuda_h.cuDeviceGetDefaultMemPool(slot, 0)));
    MemorySegment own = pool(0);
    ok(cuda_h.cuMemSetMemPool(device, 1, own));
    assertThat(out(slot -> cuda_h.cuMemGetMemPool(slot, device, 1))).isEqualTo(own);
    assertThat(out(slot -> cuda_h.cuDeviceGetMemPool(slot, 0))).isEqualTo(own);
    ok(cuda_h.cuMemPoolDestroy(own));
    assertThat(out(slot -> cuda_h.cuMemGetMemPool(slot, device, 1))).isEqualTo(standard);
    expect(Result.NOT_SUPPORTED, cuda_h.cuMemGetMemPool(arena().allocate(8), device, 2));
    expect(Result.INVALID_VALUE, cuda_h.cuMemGetMemPool(arena().allocate(8), device, 0));
    CUmemLocation.type(device, 2);
    expect(Result.NOT_SUPPORTED, cuda_h.cuMemGetMemPool(arena().allocate(8), device, 1));
    CUmemLocation.type(device, 0);
    expect(Result.INVALID_VALUE, cuda_h.cuMemGetMemPool(arena().allocate(8), device, 1));
  }
}
