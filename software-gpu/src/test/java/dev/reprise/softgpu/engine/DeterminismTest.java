package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.memory.Allocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Results do not depend on the number of workers, nor on what else runs. */
final class DeterminismTest {
  private static float[] reals(int n, long seed) {
    Random r = new Random(seed);
    float[] v = new float[n];
    for (int k = 0; k < n; k++) {
      v[k] = r.nextFloat() * 2 - 1;
    }
    return v;
  }

  @Test
  void givesTheSameBitsOnAnyNumberOfWorkers() {
    List<float[]> results = new ArrayList<>();
    for (int workers : new int[] {1, 2, 3, 7}) {
      try (Device device = new Device(workers)) {
        KernelCode k =
            Objects.requireNonNull(device.loadResource("matvec.ptx").kernel("matvec_f32"));
        Allocation y = device.allocate(200 * 4);
        device.launch(
            k, 50, 128, device.of(reals(200 * 300, 1)), device.of(reals(300, 2)), y, 200, 300);
        results.add(Device.floats(y));
      }
    }
    assertThat(results).allSatisfy(r -> assertThat(r).containsExactly(results.get(0)));
  }

  @Test
  void runsLaunchesOfSeveralThreadsAtOnce() {
    try (Device device = new Device(3)) {
      KernelCode k = Objects.requireNonNull(device.loadResource("matvec.ptx").kernel("matvec_f32"));
      Allocation m = device.of(reals(64 * 96, 1));
      Allocation x = device.of(reals(96, 2));
      Allocation expected = device.allocate(64 * 4);
      device.launch(k, 16, 128, m, x, expected, 64, 96);
      List<CompletableFuture<float[]>> all = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        all.add(
            CompletableFuture.supplyAsync(() -> {
              Allocation y = device.allocate(64 * 4);
              for (int round = 0; round < 20; round++) {
                device.launch(k, 16, 128, m, x, y, 64, 96);
              }
              return Device.floats(y);
            }));
      }
      for (CompletableFuture<float[]> f : all) {
        assertThat(f.join()).containsExactly(Device.floats(expected));
      }
    }
  }

  @Test
  void refusesImpossibleLaunches() {
    try (Device device = new Device(1)) {
      KernelCode k = Kernels.load(device, ".param .u64 out", "");
      assertThatThrownBy(() -> new LaunchRequest(k, Dim3.of(1), Dim3.of(1025), 0, new byte[8]))
          .hasMessageContaining("1024");
      assertThatThrownBy(() -> new LaunchRequest(k, Dim3.of(1), Dim3.of(1), 0, new byte[4]))
          .hasMessageContaining("8 bytes");
      assertThatThrownBy(() -> new LaunchRequest(k, Dim3.of(1), Dim3.of(1), -1, new byte[8]))
          .hasMessageContaining("negative");
      assertThatThrownBy(() -> Dim3.of(0)).hasMessageContaining("at least 1");
      assertThatThrownBy(() -> new Engine(device.memory, 0))
          .hasMessageContaining("at least one worker");
    }
  }

  @Test
  void tellsTheLimitsOfAKernel() {
    try (Device device = new Device(1)) {
      KernelCode k =
          Objects.requireNonNull(
              device
                  .load(
                      ".version 8.0\n.target sm_80\n.address_size 64\n.entry a() .maxntid 64, 2 { .shared .align 8 .b8 s[24]; .reg .b32 %r<5>; mov.u32 %r1, s; ret; }\n.entry b() { ret; }")
                  .kernel("a"));
      assertThat(k.maxThreadsPerBlock()).isEqualTo(128);
      assertThat(k.staticSharedBytes()).isEqualTo(24);
      assertThat(k.registers()).isEqualTo(1);
      assertThat(k.parameterBytes()).isZero();
    }
  }
}
