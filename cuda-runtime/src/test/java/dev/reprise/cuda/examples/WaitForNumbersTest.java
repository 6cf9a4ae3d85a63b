package dev.reprise.cuda.examples;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.PinnedBuffer;
import dev.reprise.cuda.Stream;
import dev.reprise.cuda.WaitCondition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A stream that waits for a number in memory, which the host or another stream writes. */
@ExtendWith(EverythingReleased.class)
final class WaitForNumbersTest {

  @Test
  void theHostLetsAStreamGoOn() {
    int[] result = new int[1];
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        DeviceBuffer value = device.allocate("value", 4);
        PinnedBuffer flag = device.allocatePinned("flag", 4)) {
      flag.segment().set(JAVA_INT, 0, 0);
      stream.waitValue32(flag, 0, 1, WaitCondition.GREATER_OR_EQUAL);
      stream.writeValue32(value, 0, 42);
      assertThat(stream.isComplete()).isFalse();
      flag.segment().set(JAVA_INT, 0, 1);
      stream.read(value, 0, result);
    }
    assertThat(result).containsExactly(42);
  }
}
