package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUmemAccessDesc;
import dev.reprise.bindings.cuda.CUmemAllocationProp;
import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Reserved ranges, memory without addresses, and mapping the one to the other. */
class VirtualMemoryTest extends DriverTest {

  private static final long PAGE = 2 << 20;

  private MemorySegment properties() {
    MemorySegment prop = CUmemAllocationProp.allocate(arena());
    CUmemAllocationProp.type(prop, cuda_h.CU_MEM_ALLOCATION_TYPE_PINNED());
    CUmemLocation.type(CUmemAllocationProp.location(prop), cuda_h.CU_MEM_LOCATION_TYPE_DEVICE());
    return prop;
  }

  private long reserve(long bytes) {
    return outLong(slot -> cuda_h.cuMemAddressReserve(slot, bytes, 0, 0, 0));
  }

  private long create(long bytes) {
    return outLong(slot -> cuda_h.cuMemCreate(slot, bytes, properties(), 0));
  }

  private int access(long address, long bytes, int flags) {
    MemorySegment desc = CUmemAccessDesc.allocate(arena());
    CUmemLocation.type(CUmemAccessDesc.location(desc), cuda_h.CU_MEM_LOCATION_TYPE_DEVICE());
    CUmemAccessDesc.flags(desc, flags);
    return cuda_h.cuMemSetAccess(address, bytes, desc, 1);
  }

  private int readWrite(long address, long bytes) {
    return access(address, bytes, cuda_h.CU_MEM_ACCESS_FLAGS_PROT_READWRITE());
  }

  /** Maps new memory and lets only the mapping keep it. */
  private void grow(long address, long bytes) {
    long handle = create(bytes);
    ok(cuda_h.cuMemMap(address, bytes, 0, handle, 0));
    ok(readWrite(address, bytes));
    ok(cuda_h.cuMemRelease(handle));
  }

  private void drop(long range, long reserved, long mapped) {
    ok(cuda_h.cuMemUnmap(range, mapped));
    ok(cuda_h.cuMemAddressFree(range, reserved));
  }

  private long free() {
    MemorySegment total = arena().allocate(JAVA_LONG);
    return outLong(slot -> cuda_h.cuMemGetInfo_v2(slot, total));
  }

  @Test
  void theGranularityIsTwoMebibytes() {
    for (int option : new int[] {0, 1}) {
      assertThat(outLong(slot -> cuda_h.cuMemGetAllocationGranularity(slot, properties(), option)))
          .isEqualTo(PAGE);
    }
    assertThat(outInt(slot -> cuda_h.cuDeviceGetAttribute(slot, 102, 0))).isEqualTo(1);
  }

  @Test
  void onlyMemoryThatIsMadeCountsAsUsed() {
    long before = free();
    long range = reserve(1L << 40);
    assertThat(free()).isEqualTo(before);
    grow(range, PAGE);
    assertThat(free()).isEqualTo(before - PAGE);
    drop(range, 1L << 40, PAGE);
    assertThat(free()).isEqualTo(before);
  }

  @Test
  void kernelsCopiesAndFillsCrossFromOneMappingToTheNext() {
    MemorySegment stream = stream();
    long range = reserve(4 * PAGE);
    grow(range, PAGE);
    grow(range + PAGE, 2 * PAGE);
    int count = (int) (2 * PAGE / 4);
    MemorySegment module = probe();
    // 13 elements off, so that a warp straddles the border of two mappings.
    launch(kernel(module, "fill"), (count + 255) / 256, 256, stream, range + 52, 7, count);
    long out = device(2 * PAGE);
    launch(kernel(module, "add"), (count + 255) / 256, 256, stream, out, range + 52, 1, count);
    ok(cuda_h.cuMemcpyDtoDAsync_v2(range + PAGE / 2, out, 2 * PAGE, stream));
    ok(cuda_h.cuMemsetD32Async(range + PAGE - 4, 3, 2, stream));
    synchronize(stream);
    assertThat(read(range + PAGE - 8, 4)).containsExactly(8, 3, 3, 8);
    assertThat(read(range + PAGE / 2, count)).doesNotContain(7).contains(8);
    assertThat(read(range + 48, 3)).containsExactly(0, 7, 7);
    ok(cuda_h.cuMemFree_v2(out));
    drop(range, 4 * PAGE, 3 * PAGE);
  }

  @Test
  void onePieceOfMemoryCanBeSeenAtTwoAddresses() {
    long range = reserve(2 * PAGE);
    long handle = create(PAGE);
    ok(cuda_h.cuMemMap(range, PAGE, 0, handle, 0));
    ok(cuda_h.cuMemMap(range + PAGE, PAGE, 0, handle, 0));
    ok(readWrite(range, 2 * PAGE));
    ok(cuda_h.cuMemRelease(handle));
    ok(cuda_h.cuMemsetD32_v2(range + 4, 11, 1));
    assertThat(read(range + PAGE, 2)).containsExactly(0, 11);
    drop(range, 2 * PAGE, 2 * PAGE);
  }

  @Test
  void memoryKeepsItsContentsWhenItIsMappedElsewhere() {
    long first = reserve(PAGE);
    long second = reserve(PAGE);
    grow(first, PAGE);
    ok(cuda_h.cuMemsetD32_v2(first, 5, 1));
    ok(cuda_h.cuCtxSynchronize());
    long handle =
        outLong(slot -> cuda_h.cuMemRetainAllocationHandle(slot, MemorySegment.ofAddress(first)));
    drop(first, PAGE, PAGE);
    ok(cuda_h.cuMemMap(second, PAGE, 0, handle, 0));
    ok(readWrite(second, PAGE));
    assertThat(read(second, 1)).containsExactly(5);
    ok(cuda_h.cuMemRelease(handle));
    expect(Result.INVALID_VALUE, cuda_h.cuMemRelease(handle));
    drop(second, PAGE, PAGE);
  }

  @Test
  void aKernelThatLeavesTheMappedPartFaults() {
    MemorySegment stream = stream();
    long range = reserve(2 * PAGE);
    grow(range, PAGE);
    launch(kernel(probe(), "fill"), 1, 64, stream, range + PAGE - 128, 1, 64);
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamSynchronize(stream));
    drop(range, 2 * PAGE, PAGE);
  }

  @Test
  void mappedMemoryIsOutOfReachUntilAccessIsSet() {
    long range = reserve(PAGE);
    long handle = create(PAGE);
    ok(cuda_h.cuMemMap(range, PAGE, 0, handle, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuMemsetD32_v2(range, 1, 1));
    MemorySegment device = CUmemLocation.allocate(arena());
    CUmemLocation.type(device, cuda_h.CU_MEM_LOCATION_TYPE_DEVICE());
    assertThat(outLong(slot -> cuda_h.cuMemGetAccess(slot, device, range))).isZero();
    ok(readWrite(range, PAGE));
    assertThat(outLong(slot -> cuda_h.cuMemGetAccess(slot, device, range))).isEqualTo(3);
    ok(cuda_h.cuMemsetD32_v2(range, 1, 1));
    ok(cuda_h.cuCtxSynchronize());
    ok(access(range, PAGE, cuda_h.CU_MEM_ACCESS_FLAGS_PROT_NONE()));
    expect(Result.INVALID_VALUE, cuda_h.cuMemsetD32_v2(range, 1, 1));
    expect(Result.NOT_SUPPORTED, access(range, PAGE, cuda_h.CU_MEM_ACCESS_FLAGS_PROT_READ()));
    ok(cuda_h.cuMemRelease(handle));
    drop(range, PAGE, PAGE);
  }

  @Test
  void mappingsAreNeitherCutNorOverlaid() {
    long range = reserve(4 * PAGE);
    grow(range, 2 * PAGE);
    long handle = create(2 * PAGE);
    expect(Result.INVALID_VALUE, cuda_h.cuMemMap(range + PAGE, 2 * PAGE, 0, handle, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuMemMap(range + 3 * PAGE, 2 * PAGE, 0, handle, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuMemMap(range + 2 * PAGE, 4 * PAGE, 0, handle, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuMemMap(range + 2 * PAGE, 2 * PAGE, PAGE, handle, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuMemUnmap(range, PAGE));
    expect(Result.INVALID_VALUE, cuda_h.cuMemUnmap(range + PAGE, PAGE));
    expect(Result.INVALID_VALUE, cuda_h.cuMemUnmap(range, 4 * PAGE));
    expect(Result.INVALID_VALUE, readWrite(range, 4 * PAGE));
    expect(Result.INVALID_VALUE, cuda_h.cuMemAddressFree(range, 4 * PAGE));
    ok(cuda_h.cuMemMap(range + 2 * PAGE, 2 * PAGE, 0, handle, 0));
    ok(cuda_h.cuMemRelease(handle));
    ok(cuda_h.cuMemUnmap(range, 4 * PAGE));
    expect(Result.INVALID_VALUE, cuda_h.cuMemAddressFree(range, 2 * PAGE));
    ok(cuda_h.cuMemAddressFree(range, 4 * PAGE));
    expect(Result.INVALID_VALUE, cuda_h.cuMemAddressFree(range, 4 * PAGE));
  }

  @Test
  void sizesAreMultiplesOfTheGranularityAndMustFit() {
    MemorySegment slot = arena().allocate(JAVA_LONG);
    expect(Result.INVALID_VALUE, cuda_h.cuMemAddressReserve(slot, PAGE + 4096, 0, 0, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuMemAddressReserve(slot, 0, 0, 0, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuMemAddressReserve(slot, PAGE, 3, 0, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuMemCreate(slot, 4096, properties(), 0));
    long before = free();
    expect(Result.OUT_OF_MEMORY, cuda_h.cuMemCreate(slot, 1L << 46, properties(), 0));
    assertThat(free()).isEqualTo(before);
  }

  @Test
  void whatTheDeviceLacksIsRefused() {
    MemorySegment slot = arena().allocate(JAVA_LONG);
    MemorySegment prop = properties();
    CUmemAllocationProp.requestedHandleTypes(prop, 1);
    expect(Result.NOT_SUPPORTED, cuda_h.cuMemCreate(slot, PAGE, prop, 0));
    MemorySegment host = properties();
    CUmemLocation.type(CUmemAllocationProp.location(host), cuda_h.CU_MEM_LOCATION_TYPE_HOST());
    expect(Result.NOT_SUPPORTED, cuda_h.cuMemCreate(slot, PAGE, host, 0));
    MemorySegment other = properties();
    CUmemLocation.id(CUmemAllocationProp.location(other), 1);
    expect(Result.INVALID_DEVICE, cuda_h.cuMemCreate(slot, PAGE, other, 0));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuMemCreate(slot, PAGE, CUmemAllocationProp.allocate(arena()), 0));
    long handle = create(PAGE);
    MemorySegment told = CUmemAllocationProp.allocate(arena());
    ok(cuda_h.cuMemGetAllocationPropertiesFromHandle(told, handle));
    assertThat(told.get(JAVA_INT, 0)).isEqualTo(1);
    ok(cuda_h.cuMemRelease(handle));
  }
}
