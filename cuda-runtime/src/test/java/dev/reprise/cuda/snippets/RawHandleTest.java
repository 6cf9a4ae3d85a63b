package dev.reprise.cuda.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The part of {@code docs/lifetimes.md} about raw handles. */
@ExtendWith(EverythingReleased.class)
final class RawHandleTest {

  @Test
  void aLibraryWorksOnAStream() {
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        DeviceBuffer scores = device.allocate("scores", 64)) {
      // @start region="raw"
      stream.declare(
          "vendor fill",
          () -> {
            check(cuda_h.cuCtxSetCurrent(device.driverHandle()));
            check(cuda_h.cuMemsetD32Async(scores.address(), 7, 16, stream.driverHandle()));
          },
          KernelArg.write(scores));
      // @end
      int[] values = new int[16];
      stream.read(scores, 0, values);
      assertThat(values).containsOnly(7);
    }
  }

  private static void check(int code) {
    if (code != cuda_h.CUDA_SUCCESS()) {
      throw new IllegalStateException("the library failed with " + code);
    }
  }
}
