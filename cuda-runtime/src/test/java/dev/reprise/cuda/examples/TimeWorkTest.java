package dev.reprise.cuda.examples;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Event;
import dev.reprise.cuda.EventOptions;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PinnedBuffer;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Orders two streams by an event, and measures how long work takes by two others. */
@ExtendWith(EverythingReleased.class)
final class TimeWorkTest {

  @Test
  void aKernelWaitsForACopyAndIsTimed() {
    int n = 1000;
    try (Device device = Device.open(0);
        Stream copies = device.createStream("copies");
        Stream compute = device.createStream("compute", device.streamPriorityRange().greatest());
        CudaModule module = device.loadModule("kernels", Ptx.kernels());
        PinnedBuffer input = device.allocatePinned("input", n * 4L);
        DeviceBuffer x = device.allocate("x", n * 4L);
        DeviceBuffer y = device.allocate("y", n * 4L);
        Event uploaded = device.createEvent("uploaded");
        Event start = device.createTimingEvent("start");
        Event end =
            device.createEvent("end", EventOptions.STANDARD.withTiming().withBlockingWait())) {
      PreparedLaunch scale =
          module
              .kernel("scale")
              .prepare(
                  LaunchConfig.covering(n, 256),
                  KernelArg.write(y),
                  KernelArg.read(x),
                  KernelArg.f32(3f),
                  KernelArg.i32(n));
      for (int i = 0; i < n; i++) {
        input.segment().setAtIndex(JAVA_FLOAT, i, i);
      }
      copies.copyToDevice(input, 0, x, 0, n * 4L);
      copies.record(uploaded);
      compute.waitFor(uploaded);
      compute.record(start);
      scale.launch(compute);
      compute.record(end);
      end.synchronize();
      assertThat(end.elapsedMillis(start)).isNotNegative();
      float[] result = new float[n];
      compute.read(y, 0, result);
      assertThat(result[999]).isEqualTo(2997f);
    }
  }
}
