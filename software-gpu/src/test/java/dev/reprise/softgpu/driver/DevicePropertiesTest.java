package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUdevprop;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** What the device says about itself besides its attributes. */
class DevicePropertiesTest extends DriverTest {

  @Test
  void thePropertiesAreThoseOfTheAttributes() {
    MemorySegment p = CUdevprop.allocate(arena());
    ok(cuda_h.cuDeviceGetProperties(p, 0));
    assertThat(CUdevprop.maxThreadsPerBlock(p)).isEqualTo(attribute(1));
    for (int axis = 0; axis < 3; axis++) {
      assertThat(CUdevprop.maxThreadsDim(p, axis)).isEqualTo(attribute(2 + axis));
      assertThat(CUdevprop.maxGridSize(p, axis)).isEqualTo(attribute(5 + axis));
    }
    assertThat(CUdevprop.sharedMemPerBlock(p)).isEqualTo(attribute(8));
    assertThat(CUdevprop.totalConstantMemory(p)).isEqualTo(attribute(9));
    assertThat(CUdevprop.SIMDWidth(p)).isEqualTo(attribute(10));
    assertThat(CUdevprop.memPitch(p)).isEqualTo(attribute(11));
    assertThat(CUdevprop.regsPerBlock(p)).isEqualTo(attribute(12));
    assertThat(CUdevprop.clockRate(p)).isEqualTo(attribute(13));
    assertThat(CUdevprop.textureAlign(p)).isEqualTo(attribute(14));
    expect(Result.INVALID_DEVICE, cuda_h.cuDeviceGetProperties(p, 99));
    expect(Result.INVALID_VALUE, cuda_h.cuDeviceGetProperties(MemorySegment.NULL, 0));
  }

  private int attribute(int number) {
    return outInt(slot -> cuda_h.cuDeviceGetAttribute(slot, number, 0));
  }

  @Test
  void atomicsOnHostMemoryAreThoseOfKernels() {
    MemorySegment operations = arena().allocateFrom(JAVA_INT, 0, 3, 9, 10, 11);
    MemorySegment answers = arena().allocate(JAVA_INT, 5);
    ok(cuda_h.cuDeviceGetHostAtomicCapabilities(answers, operations, 5, 0));
    // Signed, unsigned, reduction; 32, 64 and 128 bits; vectors of four.
    assertThat(answers.toArray(JAVA_INT)).containsExactly(0b11111, 0b1110, 0b111011, 0b1011100, 0);
    operations.set(JAVA_INT, 4, 13);
    answers.fill((byte) 0);
    expect(
        Result.INVALID_VALUE, cuda_h.cuDeviceGetHostAtomicCapabilities(answers, operations, 2, 0));
    assertThat(answers.get(JAVA_INT, 0)).as("nothing is written").isZero();
    expect(
        Result.INVALID_VALUE, cuda_h.cuDeviceGetHostAtomicCapabilities(answers, operations, 0, 0));
  }
}
