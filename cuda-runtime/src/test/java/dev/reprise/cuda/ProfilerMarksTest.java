package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.profile.KernelProfile;
import dev.reprise.softgpu.profile.Profiler;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the profiler of the software GPU records between the marks of a program. */
final class ProfilerMarksTest extends GpuTest {

  @AfterEach
  void stop() {
    profiler().stop();
  }

  private static Profiler profiler() {
    return SoftwareDriver.ofProcess().orElseThrow().profiler();
  }

  @Test
  void onlyWhatRunsBetweenTheMarksIsRecorded() {
    profiler().start();
    device.stopProfiler();
    try (DeviceBuffer buffer = device.allocate("buffer", 64)) {
      PreparedLaunch launch = fill(buffer, 1, 16);
      launch.launch(stream);
      stream.synchronize();
      assertThat(launches()).isZero();

      device.startProfiler();
      // While it records, a second mark has no effect.
      device.startProfiler();
      launch.launch(stream);
      stream.synchronize();
      device.stopProfiler();
      device.stopProfiler();
      launch.launch(stream);
      stream.synchronize();
      assertThat(launches()).isEqualTo(1);

      device.startProfiler();
      launch.launch(stream);
      stream.synchronize();
      assertThat(launches()).as("a second range adds to the first").isEqualTo(2);
    }
  }

  private long launches() {
    List<KernelProfile> kernels = profiler().kernels();
    return kernels.stream().mapToLong(KernelProfile::launches).sum();
  }
}
