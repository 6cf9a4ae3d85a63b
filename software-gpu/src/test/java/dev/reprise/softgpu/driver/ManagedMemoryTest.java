package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Memory that the host and kernels see at one address, and what is advised about it. */
class ManagedMemoryTest extends DriverTest {

  private static final int PAGE = 4096;
  private static final int GLOBAL_ACCESS = 1;
  private static final int AT_DEVICE = 1;
  private static final int AT_HOST = 2;
  private static final int AT_NUMA = 3;
  private static final int INVALID_DEVICE = -2;

  private long managed(long bytes) {
    return outLong(slot -> cuda_h.cuMemAllocManaged(slot, bytes, GLOBAL_ACCESS));
  }

  private MemorySegment location(int type, int id) {
    MemorySegment location = CUmemLocation.allocate(arena());
    CUmemLocation.type(location, type);
    CUmemLocation.id(location, id);
    return location;
  }

  private int attribute(int number, long address, long bytes) {
    return outInt(slot -> cuda_h.cuMemRangeGetAttribute(slot, 4, number, address, bytes));
  }

  @Test
  void theHostAndKernelsSeeIt() {
    MemorySegment stream = stream();
    long address = managed(12);
    MemorySegment host = MemorySegment.ofAddress(address).reinterpret(12);
    host.setAtIndex(JAVA_INT, 0, 5);
    host.setAtIndex(JAVA_INT, 1, 6);
    launch(kernel(probe(), "add"), 1, 32, stream, address, address, 10, 2);
    fill(address + 8, 7, 1, stream);
    synchronize(stream);
    assertThat(host.toArray(JAVA_INT)).containsExactly(15, 16, 7);
    long device = device(12);
    ok(cuda_h.cuMemcpyDtoD_v2(device, address, 12));
    assertThat(read(device, 3)).containsExactly(15, 16, 7);
    ok(cuda_h.cuMemFree_v2(address));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFree_v2(address));
  }

  @Test
  void pointersTellThatItIsManaged() {
    long address = managed(64);
    MemorySegment managed = arena().allocate(8);
    ok(cuda_h.cuPointerGetAttribute(managed, 8, address));
    assertThat(managed.get(JAVA_BYTE, 0)).isEqualTo((byte) 1);
    assertThat(outInt(slot -> cuda_h.cuPointerGetAttribute(slot, 2, address))).isEqualTo(2);
    assertThat(outLong(slot -> cuda_h.cuPointerGetAttribute(slot, 4, address))).isEqualTo(address);
    assertThat(outInt(slot -> cuda_h.cuDeviceGetAttribute(slot, 83, 0))).isEqualTo(1);
    MemorySegment pointer = MemorySegment.ofAddress(address);
    expect(Result.INVALID_VALUE, cuda_h.cuMemHostGetFlags(arena().allocate(4), pointer));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFreeHost(pointer));
  }

  @Test
  void impossibleAllocationsAreRefused() {
    MemorySegment slot = arena().allocate(8);
    expect(Result.INVALID_VALUE, cuda_h.cuMemAllocManaged(slot, 0, GLOBAL_ACCESS));
    expect(Result.INVALID_VALUE, cuda_h.cuMemAllocManaged(slot, 64, 4));
    expect(Result.INVALID_VALUE, cuda_h.cuMemAllocManaged(MemorySegment.NULL, 64, 1));
    MemorySegment stream = stream();
    begin(stream, GLOBAL);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuMemAllocManaged(slot, 64, 1));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
  }

  @Test
  void adviceIsKeptByThePage() {
    long address = managed(4 * PAGE);
    ok(cuda_h.cuMemAdvise(address, 2 * PAGE, 1, 0));
    assertThat(attribute(1, address, 2 * PAGE)).isEqualTo(1);
    assertThat(attribute(1, address, 2 * PAGE + 1)).isZero();
    ok(cuda_h.cuMemAdvise(address + PAGE + 5, 1, 2, 0));
    assertThat(attribute(1, address, PAGE)).isEqualTo(1);
    assertThat(attribute(1, address, 2 * PAGE)).isZero();

    assertThat(attribute(2, address, 4 * PAGE)).isEqualTo(INVALID_DEVICE);
    ok(cuda_h.cuMemAdvise(address, 4 * PAGE, 3, 0));
    assertThat(attribute(2, address, 4 * PAGE)).isZero();
    assertThat(attribute(5, address, 4 * PAGE)).isEqualTo(AT_DEVICE);
    ok(cuda_h.cuMemAdvise_v2(address, PAGE, 3, location(AT_NUMA, 0)));
    assertThat(attribute(2, address, PAGE)).as("the CPU").isEqualTo(-1);
    assertThat(attribute(5, address, PAGE)).isEqualTo(AT_NUMA);
    assertThat(attribute(6, address, PAGE)).isZero();
    assertThat(attribute(2, address, 2 * PAGE)).as("two places").isEqualTo(INVALID_DEVICE);
    ok(cuda_h.cuMemAdvise(address, 4 * PAGE, 4, 0));
    assertThat(attribute(5, address, 4 * PAGE)).isZero();
  }

  @Test
  void whoAccessesARangeIsListed() {
    long address = managed(2 * PAGE);
    ok(cuda_h.cuMemAdvise(address, 2 * PAGE, 5, 0));
    ok(cuda_h.cuMemAdvise_v2(address, PAGE, 5, location(AT_HOST, 0)));
    MemorySegment list = arena().allocate(JAVA_INT, 3);
    ok(cuda_h.cuMemRangeGetAttribute(list, 12, 3, address, PAGE));
    assertThat(list.toArray(JAVA_INT)).containsExactly(-1, 0, INVALID_DEVICE);
    ok(cuda_h.cuMemRangeGetAttribute(list, 12, 3, address, 2 * PAGE));
    assertThat(list.toArray(JAVA_INT)).containsExactly(0, INVALID_DEVICE, INVALID_DEVICE);
    ok(cuda_h.cuMemAdvise(address, 2 * PAGE, 6, 0));
    ok(cuda_h.cuMemRangeGetAttribute(list, 4, 3, address, 2 * PAGE));
    assertThat(list.get(JAVA_INT, 0)).isEqualTo(INVALID_DEVICE);
  }

  @Test
  void prefetchesNoteWhereTo() {
    MemorySegment stream = stream();
    long address = managed(2 * PAGE);
    assertThat(attribute(4, address, 1)).isEqualTo(INVALID_DEVICE);
    ok(cuda_h.cuMemPrefetchAsync(address, 2 * PAGE, 0, stream));
    assertThat(attribute(4, address, 2 * PAGE)).isZero();
    ok(cuda_h.cuMemPrefetchAsync_v2(address, PAGE, location(AT_HOST, 0), 0, stream));
    assertThat(attribute(7, address, PAGE)).isEqualTo(AT_HOST);
    assertThat(attribute(4, address, 2 * PAGE)).isEqualTo(INVALID_DEVICE);
    MemorySegment data = arena().allocateFrom(JAVA_INT, 9, 9);
    MemorySegment pointers = arena().allocateFrom(JAVA_LONG, data.address(), data.address() + 4);
    MemorySegment sizes = arena().allocateFrom(JAVA_LONG, 4, 4);
    MemorySegment ids = arena().allocateFrom(JAVA_INT, 4, 7);
    ok(cuda_h.cuMemRangeGetAttributes(pointers, sizes, ids, 2, address, PAGE));
    assertThat(data.toArray(JAVA_INT)).containsExactly(-1, AT_HOST);
  }

  @Test
  void wrongRangesPlacesAndSizesAreRefused() {
    MemorySegment stream = stream();
    long address = managed(PAGE);
    long device = device(PAGE);
    expect(Result.INVALID_VALUE, cuda_h.cuMemAdvise(device, 4, 1, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuMemAdvise(address, PAGE + 1, 1, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuMemAdvise(address, 0, 1, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuMemAdvise(address, 4, 7, 0));
    expect(Result.INVALID_DEVICE, cuda_h.cuMemAdvise(address, 4, 3, 99));
    expect(Result.INVALID_DEVICE, cuda_h.cuMemPrefetchAsync(address, 4, 99, stream));
    expect(
        Result.INVALID_VALUE, cuda_h.cuMemPrefetchAsync_v2(address, 4, location(0, 0), 0, stream));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuMemPrefetchAsync_v2(address, 4, location(AT_NUMA, 7), 0, stream));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuMemPrefetchAsync_v2(address, 4, location(AT_HOST, 0), 1, stream));
    MemorySegment slot = arena().allocate(8);
    expect(Result.INVALID_VALUE, cuda_h.cuMemRangeGetAttribute(slot, 8, 1, address, 4));
    expect(Result.INVALID_VALUE, cuda_h.cuMemRangeGetAttribute(slot, 6, 3, address, 4));
    expect(Result.INVALID_VALUE, cuda_h.cuMemRangeGetAttribute(slot, 4, 9, address, 4));
    begin(stream, RELAXED);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuMemPrefetchAsync(address, 4, 0, stream));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
  }

  @Test
  void batchesPrefetchAndDiscardInStreamOrder() {
    MemorySegment stream = stream();
    long address = managed(3 * PAGE);
    MemorySegment host = MemorySegment.ofAddress(address).reinterpret(3 * PAGE);
    host.fill((byte) 1);
    MemorySegment starts =
        arena().allocateFrom(JAVA_LONG, address, address + PAGE, address + 2 * PAGE);
    MemorySegment sizes = arena().allocateFrom(JAVA_LONG, 4, PAGE, 4);
    MemorySegment places = CUmemLocation.allocateArray(2, arena());
    CUmemLocation.type(CUmemLocation.asSlice(places, 0), AT_DEVICE);
    CUmemLocation.type(CUmemLocation.asSlice(places, 1), AT_HOST);
    MemorySegment from = arena().allocateFrom(JAVA_LONG, 0, 2);
    Gate gate = hold(stream);
    ok(cuda_h.cuMemDiscardAndPrefetchBatchAsync(starts, sizes, 3, places, from, 2, 0, stream));
    assertThat(host.get(JAVA_BYTE, PAGE)).isEqualTo((byte) 1);
    gate.open();
    synchronize(stream);
    assertThat(host.get(JAVA_INT, 0)).as("indeterminate").isEqualTo(-1);
    assertThat(host.get(JAVA_INT, 4)).isEqualTo(0x01010101);
    assertThat(attribute(7, address + PAGE, PAGE)).isEqualTo(AT_DEVICE);
    assertThat(attribute(7, address + 2 * PAGE, PAGE)).isEqualTo(AT_HOST);
    ok(cuda_h.cuMemPrefetchBatchAsync(starts, sizes, 1, places, from, 1, 0, stream));
    ok(cuda_h.cuMemDiscardBatchAsync(starts, sizes, 1, 0, stream));
    MemorySegment wrong = arena().allocateFrom(JAVA_LONG, 0, 3);
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuMemPrefetchBatchAsync(starts, sizes, 3, places, wrong, 2, 0, stream));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuMemDiscardBatchAsync(starts, sizes, 3, 0, MemorySegment.NULL));
    expect(Result.INVALID_VALUE, cuda_h.cuMemDiscardBatchAsync(starts, sizes, 0, 0, stream));
  }

  @Test
  void itIsAttachedAsAWhole() {
    MemorySegment stream = stream();
    long address = managed(64);
    ok(cuda_h.cuStreamAttachMemAsync(stream, address, 0, 4));
    ok(cuda_h.cuStreamAttachMemAsync(stream, address, 64, 1));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamAttachMemAsync(stream, address, 32, 1));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamAttachMemAsync(stream, address + 4, 0, 1));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamAttachMemAsync(stream, address, 0, 3));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamAttachMemAsync(MemorySegment.NULL, address, 0, 4));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamAttachMemAsync(stream, device(64), 0, 1));
  }

  @Test
  void itGoesWithItsContext() {
    MemorySegment own = out(slot -> cuda_h.cuCtxCreate_v4(slot, MemorySegment.NULL, 0, 0));
    long address = managed(64);
    ok(cuda_h.cuCtxDestroy_v2(own));
    ok(cuda_h.cuCtxSetCurrent(context()));
    MemorySegment slot = arena().allocate(ADDRESS);
    expect(Result.INVALID_VALUE, cuda_h.cuPointerGetAttribute(slot, 2, address));
  }
}
