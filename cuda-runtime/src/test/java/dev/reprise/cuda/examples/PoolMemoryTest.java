package dev.reprise.cuda.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.MemoryPool;
import dev.reprise.cuda.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Memory that lives for a few operations, in the order of a stream, from a pool of its own. */
@ExtendWith(EverythingReleased.class)
final class PoolMemoryTest {

  @Test
  void memoryIsUsedAgainInTheOrderOfTheStream() {
    int[] result = new int[4];
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        MemoryPool pool = device.createMemoryPool("scratch");
        DeviceBuffer kept = device.allocate("kept", 16)) {
      // So much stays in the pool when the stream is waited for.
      pool.setReleaseThresholdBytes(1 << 20);
      for (int round = 1; round <= 3; round++) {
        try (DeviceBuffer scratch = stream.allocate("scratch", 16, pool)) {
          stream.fill32(scratch, 0, 4, round);
          stream.copy(scratch, 0, kept, 0, 16);
        }
      }
      stream.read(kept, 0, result);
      assertThat(pool.usedBytes()).isZero();
      pool.trimTo(0);
      assertThat(pool.reservedBytes()).isZero();
    }
    assertThat(result).containsOnly(3);
  }
}
