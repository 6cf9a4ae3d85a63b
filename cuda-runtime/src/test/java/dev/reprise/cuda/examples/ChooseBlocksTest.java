package dev.reprise.cuda.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.Kernel;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.KernelOccupancy;
import dev.reprise.cuda.LaunchAttributes;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.Stream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Asks how large blocks should be and how many fit, and launches them all at once. */
@ExtendWith(EverythingReleased.class)
final class ChooseBlocksTest {

  @Test
  void allBlocksOfACooperativeLaunchAreThere() {
    int threads = 64;
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        CudaModule module = device.loadModule("kernels", Ptx.kernels())) {
      Kernel sum = module.kernel("blockSum");
      KernelOccupancy occupancy = sum.occupancy();
      assertThat(occupancy.potentialBlock(0, 0).blockThreads()).isGreaterThanOrEqualTo(threads);
      int shared = threads * 4;
      int fit = occupancy.activeBlocks(threads, shared) * device.multiprocessorCount();
      int blocks = Math.min(8, fit);
      int[] ones = new int[blocks * threads];
      Arrays.fill(ones, 1);
      int[] sums = new int[blocks];
      try (DeviceBuffer input = device.allocate("input", ones.length * 4L);
          DeviceBuffer output = device.allocate("output", sums.length * 4L)) {
        stream.write(ones, input, 0);
        // More blocks than fit would be an error instead of blocks that wait for each other.
        sum.prepare(
                LaunchConfig.of(blocks, threads, shared),
                LaunchAttributes.COOPERATIVE.withPriority(-1),
                KernelArg.write(output),
                KernelArg.read(input))
            .launch(stream);
        stream.read(output, 0, sums);
      }
      assertThat(sums).containsOnly(threads);
    }
  }
}
