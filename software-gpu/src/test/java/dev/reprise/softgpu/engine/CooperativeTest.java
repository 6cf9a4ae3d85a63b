package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import java.util.Objects;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cooperative groups as nvcc compiles them. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CooperativeTest {
  private static LaunchRequest request(
      KernelCode kernel, int grid, int block, boolean cooperative, Object... arguments) {
    return new LaunchRequest(
        kernel, Dim3.of(grid), Dim3.of(block), 0, Device.block(kernel, arguments), cooperative);
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "90", "100", "debug", "lines"})
  void letsAllBlocksOfAGridMeet(String variant) {
    int n = 5 * 64;
    int[] start = new int[n];
    for (int k = 0; k < n; k++) {
      start[k] = k * k % 101;
    }
    for (int workers = 1; workers <= 2; workers++) {
      try (Device device = new Device(workers)) {
        KernelCode kernel =
            Objects.requireNonNull(
                device.loadResource("cooperative_" + variant + ".ptx").kernel("rounds"));
        Allocation values = device.of(start);
        Allocation next = device.allocate(n * 4L);
        long before = device.memory.usedBytes();
        device.engine.run(request(kernel, 5, 64, true, values, next));
        int[] want = start.clone();
        for (int round = 0; round < 3; round++) {
          int[] old = want.clone();
          for (int t = 0; t < n; t++) {
            want[t] = old[(t + 64) % n] * 3 + old[(t + 1) % n];
          }
        }
        assertThat(Device.ints(values)).isEqualTo(want);
        assertThat(device.memory.usedBytes()).isEqualTo(before);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "100", "debug"})
  void knowsWhetherTheGridCanMeet(String variant) {
    try (Device device = new Device(1)) {
      KernelCode kernel =
          Objects.requireNonNull(
              device.loadResource("cooperative_" + variant + ".ptx").kernel("valid"));
      Allocation out = device.allocate(16);
      device.engine.run(request(kernel, 1, 4, true, out));
      assertThat(Device.ints(out)).containsOnly(1);
      device.engine.run(request(kernel, 1, 4, false, out));
      assertThat(Device.ints(out)).containsOnly(0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "90", "100", "debug", "lines"})
  void reducesOverTilesAndCoalescedLanes(String variant) {
    int[] in = new int[64];
    for (int k = 0; k < 64; k++) {
      in[k] = k * 17 % 29;
    }
    try (Device device = new Device(1)) {
      KernelCode kernel =
          Objects.requireNonNull(
              device.loadResource("cooperative_" + variant + ".ptx").kernel("tiles"));
      Allocation out = device.allocate(256);
      device.launch(kernel, 1, 64, out, device.of(in));
      int[] got = Device.ints(out);
      for (int t = 0; t < 64; t++) {
        int sum = 0;
        for (int k = t / 8 * 8; k < t / 8 * 8 + 8; k++) {
          sum += in[k];
        }
        int most = 0;
        if (in[t] % 3 == 1) {
          int size = 0;
          int rank = 0;
          int first = -1;
          for (int k = t / 32 * 32; k < t / 32 * 32 + 32; k++) {
            if (in[k] % 3 == 1) {
              first = first < 0 ? in[k] : first;
              rank += k < t ? 1 : 0;
              size++;
            }
          }
          most = size * 100 + rank + first * 10_000;
        }
        assertThat(got[t]).as("thread %d", t).isEqualTo(sum * 7 + most);
      }
    }
  }
}
