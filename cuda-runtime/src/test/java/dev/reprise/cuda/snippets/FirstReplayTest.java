package dev.reprise.cuda.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The page of {@code dev.reprise.cuda}. */
@ExtendWith(EverythingReleased.class)
final class FirstReplayTest {

  @Test
  void aKernelIsCapturedAndReplayed() throws IOException {
    String ptx;
    try (InputStream in = Device.class.getResourceAsStream("kernels.ptx")) {
      ptx = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
    float[] input = new float[1000];
    float[] output = new float[1000];
    for (int i = 0; i < input.length; i++) {
      input[i] = i;
    }
    replay(ptx, input, output);
    for (int i = 0; i < input.length; i++) {
      assertThat(output[i]).isEqualTo(2f * i);
    }
  }

  private static void replay(String ptx, float[] input, float[] output) {
    int n = input.length;
    // @start region="replay"
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        CudaModule module = device.loadModule("vector", ptx);
        DeviceBuffer x = device.allocate("x", n * 4L);
        DeviceBuffer y = device.allocate("y", n * 4L)) {
      stream.write(input, x, 0);

      PreparedLaunch scale =
          module
              .kernel("scale")
              .prepare(
                  LaunchConfig.covering(n, 256),
                  KernelArg.write(y),
                  KernelArg.read(x),
                  KernelArg.f32(2f),
                  KernelArg.i32(n));

      try (Graph graph = stream.capture(capture -> scale.launch(stream));
          GraphExec exec = graph.instantiate()) {
        exec.replay(stream);
      }
      stream.read(y, 0, output);
    }
    // @end
  }
}
