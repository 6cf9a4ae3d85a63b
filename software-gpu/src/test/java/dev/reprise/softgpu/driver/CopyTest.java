package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Copies and fills. */
class CopyTest extends DriverTest {

  private static final int LARGE = 256 << 10;

  @Test
  void bytesGoThereAndBack() {
    long buffer = ints(1, 2, 3, 4);
    long other = device(16);
    ok(cuda_h.cuMemcpyDtoD_v2(other, buffer, 16));
    assertThat(read(other, 4)).containsExactly(1, 2, 3, 4);
    ok(cuda_h.cuMemcpy(other, buffer + 8, 8));
    assertThat(read(other, 4)).containsExactly(3, 4, 3, 4);
  }

  @Test
  void aUnifiedCopyTakesHostAndDeviceAddresses() {
    long buffer = device(8);
    MemorySegment host = arena().allocateFrom(JAVA_INT, 7, 8);
    ok(cuda_h.cuMemcpy(buffer, host.address(), 8));
    assertThat(read(buffer, 2)).containsExactly(7, 8);
  }

  @Test
  void smallPageableBytesAreReadWhenTheCallIsMade() {
    MemorySegment stream = stream();
    long buffer = ints(0);
    MemorySegment host = arena().allocateFrom(JAVA_INT, 1);
    Gate gate = hold(stream);
    ok(cuda_h.cuMemcpyHtoDAsync_v2(buffer, host, 4, stream));
    host.set(JAVA_INT, 0, 2);
    gate.open();
    synchronize(stream);
    assertThat(read(buffer, 1)).containsExactly(1);
  }

  @Test
  void pinnedBytesAreReadWhenTheCopyRuns() {
    MemorySegment stream = stream();
    long buffer = ints(0);
    MemorySegment host = pinned(4);
    host.set(JAVA_INT, 0, 1);
    Gate gate = hold(stream);
    ok(cuda_h.cuMemcpyHtoDAsync_v2(buffer, host, 4, stream));
    host.set(JAVA_INT, 0, 2);
    gate.open();
    synchronize(stream);
    assertThat(read(buffer, 1)).containsExactly(2);
  }

  @Test
  void largePageableBytesAreCopiedWhenTheCallReturns() {
    MemorySegment stream = stream();
    long buffer = device(LARGE);
    MemorySegment host = arena().allocate(LARGE);
    host.fill((byte) 3);
    ok(cuda_h.cuMemcpyHtoDAsync_v2(buffer, host, LARGE, stream));
    host.fill((byte) 4);
    MemorySegment back = arena().allocate(LARGE);
    ok(cuda_h.cuMemcpyDtoHAsync_v2(back, buffer, LARGE, stream));
    byte[] expected = new byte[LARGE];
    Arrays.fill(expected, (byte) 3);
    assertThat(back.toArray(JAVA_BYTE)).isEqualTo(expected);
  }

  @Test
  void aCopyBeyondAnAllocationIsRefused() {
    long buffer = device(16);
    MemorySegment host = arena().allocate(64);
    expect(Result.INVALID_VALUE, cuda_h.cuMemcpyHtoD_v2(buffer, host, 17));
    expect(Result.INVALID_VALUE, cuda_h.cuMemcpyHtoD_v2(buffer + 1, host, 16));
    expect(Result.INVALID_VALUE, cuda_h.cuMemcpyDtoH_v2(host, buffer - 1, 4));
    expect(Result.INVALID_VALUE, cuda_h.cuMemcpyHtoD_v2(buffer, host, -1));
  }

  @Test
  void freedAndForeignAddressesAreRefused() {
    long buffer = device(16);
    ok(cuda_h.cuMemFree_v2(buffer));
    MemorySegment host = arena().allocate(64);
    expect(Result.INVALID_VALUE, cuda_h.cuMemcpyHtoD_v2(buffer, host, 4));
    expect(Result.INVALID_VALUE, cuda_h.cuMemcpyHtoD_v2(host.address(), host, 4));
    expect(Result.INVALID_VALUE, cuda_h.cuMemcpy(buffer, host.address(), 4));
    long live = device(16);
    expect(Result.INVALID_VALUE, cuda_h.cuMemcpyHtoD_v2(live, MemorySegment.ofAddress(live), 4));
    expect(Result.INVALID_VALUE, cuda_h.cuMemcpyHtoD_v2(live, MemorySegment.NULL, 4));
  }

  @Test
  void anEmptyCopyIsDoneAtOnce() {
    ok(cuda_h.cuMemcpyHtoD_v2(0, MemorySegment.NULL, 0));
  }

  @Test
  void fillsHaveThreeElementSizes() {
    long buffer = ints(0, 0, 0, 0);
    ok(cuda_h.cuMemsetD8_v2(buffer, (byte) 0x11, 4));
    ok(cuda_h.cuMemsetD16_v2(buffer + 4, (short) 0x2233, 2));
    ok(cuda_h.cuMemsetD32_v2(buffer + 8, 0x44556677, 1));
    assertThat(read(buffer, 4)).containsExactly(0x11111111, 0x22332233, 0x44556677, 0);
  }

  @Test
  void twoDimensionalFillsSkipThePitch() {
    long buffer = ints(0, 0, 0, 0, 0, 0);
    ok(cuda_h.cuMemsetD2D32_v2(buffer, 12, 9, 2, 2));
    assertThat(read(buffer, 6)).containsExactly(9, 9, 0, 9, 9, 0);
    expect(Result.INVALID_VALUE, cuda_h.cuMemsetD2D32_v2(buffer, 4, 9, 2, 2));
  }

  @Test
  void misalignedAndOverlongFillsAreRefused() {
    long buffer = device(16);
    expect(Result.INVALID_VALUE, cuda_h.cuMemsetD32_v2(buffer + 2, 1, 1));
    expect(Result.INVALID_VALUE, cuda_h.cuMemsetD16_v2(buffer + 1, (short) 1, 1));
    expect(Result.INVALID_VALUE, cuda_h.cuMemsetD32_v2(buffer, 1, 5));
    expect(Result.INVALID_VALUE, cuda_h.cuMemsetD8_v2(buffer, (byte) 1, -1));
    ok(cuda_h.cuMemsetD32_v2(buffer, 1, 0));
  }
}
