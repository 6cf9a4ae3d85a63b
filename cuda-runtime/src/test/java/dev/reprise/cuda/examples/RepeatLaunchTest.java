package dev.reprise.cuda.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Prepares a launch once and makes it again and again, with other arguments. */
@ExtendWith(EverythingReleased.class)
final class RepeatLaunchTest {

  @Test
  void argumentsAreSetByPosition() {
    int n = 100;
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        CudaModule module = device.loadModule("kernels", Ptx.kernels());
        DeviceBuffer first = device.allocate("first", n * 4L);
        DeviceBuffer second = device.allocate("second", n * 4L)) {
      PreparedLaunch fill =
          module
              .kernel("fill")
              .prepare(
                  LaunchConfig.covering(n, 64),
                  KernelArg.write(first),
                  KernelArg.i32(1),
                  KernelArg.i32(n));
      fill.launch(stream);
      fill.setBuffer(0, second, 0);
      fill.setI32(1, 2);
      fill.launch(stream);
      int[] values = new int[n];
      stream.read(first, 0, values);
      assertThat(values).containsOnly(1);
      stream.read(second, 0, values);
      assertThat(values).containsOnly(2);
    }
  }
}
