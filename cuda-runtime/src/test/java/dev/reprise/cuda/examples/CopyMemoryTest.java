package dev.reprise.cuda.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.PitchedMemory;
import dev.reprise.cuda.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Moves numbers between Java arrays and the device, and on the device. */
@ExtendWith(EverythingReleased.class)
final class CopyMemoryTest {

  @Test
  void twoColumnsOfAMatrixAreCopied() {
    int[] result = new int[6];
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        DeviceBuffer source = device.allocate("source", 24);
        DeviceBuffer target = device.allocate("target", 24)) {
      stream.write(new int[] {1, 2, 3, 4, 5, 6}, source, 0);
      stream.fill32(target, 0, 6, 9);
      // Rows of 12 bytes each; 8 bytes of 2 rows.
      stream.copy2D(PitchedMemory.of(source, 0, 12), PitchedMemory.of(target, 0, 12), 8, 2);
      stream.read(target, 0, result);
    }
    assertThat(result).containsExactly(1, 2, 9, 4, 5, 9);
  }
}
