package dev.reprise.cuda.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import dev.reprise.cuda.VirtualRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Memory that grows where it is: launches and graphs that hold its address stay good. */
@ExtendWith(EverythingReleased.class)
final class GrowMemoryTest {

  @Test
  void aGraphGoesOnAfterTheMemoryHasGrown() {
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        CudaModule module = device.loadModule("kernels", Ptx.kernels());
        VirtualRange cache = device.reserve("cache", 1L << 30)) {
      long page = cache.granularity();
      cache.grow(page);
      PreparedLaunch increment =
          module
              .kernel("increment")
              .prepare(LaunchConfig.of(1, 1), KernelArg.readWrite(cache.buffer()));
      stream.fill32(cache.buffer(), 0, 1, 0);
      try (Graph graph = stream.capture(capture -> increment.launch(stream));
          GraphExec step = graph.instantiate()) {
        step.replay(stream);
        cache.grow(page);
        step.replay(stream);
        // Behind what was there before.
        stream.fill32(cache.buffer(), page, 1, 7);
        int[] ends = new int[1];
        stream.read(cache.buffer(), 0, ends);
        assertThat(ends).containsExactly(2);
        stream.read(cache.buffer(), page, ends);
        assertThat(ends).containsExactly(7);
      }
      assertThat(cache.mappedBytes()).isEqualTo(2 * page);
    }
  }
}
