package dev.reprise.cuda.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.Descriptors;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.ExternalMemory;
import dev.reprise.cuda.ExternalSemaphore;
import dev.reprise.cuda.ExternalSemaphoreKind;
import dev.reprise.cuda.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Memory and a semaphore of another driver of the device, such as one of Vulkan. What that exports
 * is a descriptor; on the software GPU that of a file, see {@code docs/software-gpu.md}.
 */
@ExtendWith(EverythingReleased.class)
final class ShareWithOtherDriversTest {

  @Test
  void workIsOrderedWithThatOfTheOtherDriver() {
    int[] result = new int[4];
    try (Device device = Device.open(0);
        Stream theirs = device.createStream("theirs");
        Stream ours = device.createStream("ours");
        ExternalMemory image = device.importMemory("image", Descriptors.file(4096), 4096);
        DeviceBuffer pixels = image.map("pixels", 0, 16);
        ExternalSemaphore drawn =
            device.importSemaphore(
                "drawn", ExternalSemaphoreKind.TIMELINE_FD, Descriptors.file())) {
      ours.waitFor(drawn, 1);
      ours.fill32(pixels, 8, 1, 9);
      assertThat(ours.isComplete()).isFalse();
      // In place of the other driver.
      theirs.fill32(pixels, 0, 4, 7);
      theirs.signal(drawn, 1);
      ours.read(pixels, 0, result);
    }
    assertThat(result).containsExactly(7, 7, 9, 7);
  }
}
