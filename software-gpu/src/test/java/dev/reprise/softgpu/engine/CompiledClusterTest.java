package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clusters and bulk copies as nvcc compiles them. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CompiledClusterTest {
  private static final long SEED = 4711;

  private static KernelCode kernel(Device device, String variant, String name) {
    return Objects.requireNonNull(device.loadResource("cluster_" + variant + ".ptx").kernel(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"90", "100", "lines"})
  void spreadsAHistogramOverTheBlocks(String variant) {
    int n = 5000;
    int binsPerBlock = 40;
    for (int workers = 1; workers <= 2; workers++) {
      try (Device device = new Device(workers)) {
        SplittableRandom random = new SplittableRandom(SEED);
        int[] in = random.ints(n, 0, 4 * binsPerBlock).toArray();
        int[] want = new int[4 * binsPerBlock];
        for (int bin : in) {
          want[bin]++;
        }
        KernelCode kernel = kernel(device, variant, "histogram");
        Allocation bins = device.of(new int[4 * binsPerBlock]);
        byte[] arguments = Device.block(kernel, bins, binsPerBlock, device.of(in), n);
        device.engine.run(
            new LaunchRequest(
                kernel,
                Dim3.of(12),
                Dim3.of(96),
                binsPerBlock * 4,
                arguments,
                false,
                null,
                Dim3.of(4)));
        assertThat(Device.ints(bins)).as("seed %d", SEED).isEqualTo(want);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"90", "100", "lines"})
  void knowsThePlacesOfThreads(String variant) {
    try (Device device = new Device(1)) {
      KernelCode kernel = kernel(device, variant, "places");
      Allocation out = device.allocate(6 * 64 * 16);
      device.engine.run(ClusterKernels.request(kernel, 6, 64, 3, out));
      int[] got = Device.ints(out);
      for (int t = 0; t < 6 * 64; t++) {
        int rank = t / 64 % 3;
        assertThat(ClusterKernels.words(got, t))
            .containsExactly(rank, 3, rank * 64 + t % 64, 3 * 64);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"90", "100", "lines"})
  void bringsTilesInAndOut(String variant) {
    try (Device device = new Device(2)) {
      KernelCode kernel = kernel(device, variant, "addOne");
      int[] data = new SplittableRandom(SEED).ints(7 * 512).toArray();
      Allocation at = device.of(data);
      device.launch(kernel, 7, 64, at);
      int[] got = Device.ints(at);
      for (int k = 0; k < data.length; k++) {
        assertThat(got[k]).as("word %d, seed %d", k, SEED).isEqualTo(data[k] + 1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"90", "100", "lines"})
  void spreadsATileAndSumsItsParts(String variant) {
    try (Device device = new Device(2)) {
      KernelCode kernel = kernel(device, variant, "spread");
      assertThat(kernel.requiredCluster()).isEqualTo(Dim3.of(4));
      int[] in = new SplittableRandom(SEED).ints(5 * 256).toArray();
      int[] want = new int[256];
      for (int k = 0; k < in.length; k++) {
        want[k % 256] += in[k];
      }
      Allocation sums = device.of(new int[256]);
      device.launch(kernel, 20, 32, sums, device.of(in));
      assertThat(Device.ints(sums)).as("seed %d", SEED).isEqualTo(want);
    }
  }
}
