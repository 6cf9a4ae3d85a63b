package dev.reprise.cuda.faults;

import static dev.reprise.cuda.faults.Workbench.BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.BufferOptions;
import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Settling;
import dev.reprise.cuda.Stream;
import dev.reprise.softgpu.faults.FaultSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The events behind the uses of buffers that the runtime orders. */
final class AutomaticOrderFaultTest {

  @AfterEach
  void resetContext() {
    Faults.resetContext();
  }

  private static DeviceBuffer automatic(Workbench bench) {
    return bench.device.allocate("auto", BYTES, BufferOptions.STANDARD.withAutomaticOrder());
  }

  @Test
  void theyAreDestroyedWithTheBuffer() {
    try (FaultSession watch = Faults.watchAll()) {
      Workbench bench = new Workbench();
      try (DeviceBuffer auto = automatic(bench)) {
        for (int i = 0; i < 5; i++) {
          try (Stream side = bench.device.createStream("side-" + i)) {
            side.copy(auto, 0, bench.b, 0, BYTES);
            side.fill32(auto, 0, 1, i);
          }
        }
      }
      bench.close();
      bench.assertReleased();
      assertThat(watch.count("cuStreamWaitEvent")).isEqualTo(4);
      assertThat(watch.count("cuEventCreate")).isPositive();
      assertThat(watch.count("cuEventDestroy_v2")).isEqualTo(watch.count("cuEventCreate"));
    }
  }

  @Test
  void streamsOfAShortLifeThatReadLeaveNoneBehind() {
    Workbench bench = new Workbench();
    try (FaultSession watch = Faults.watchAll();
        DeviceBuffer auto = automatic(bench)) {
      for (int i = 0; i < 50; i++) {
        try (Stream side = bench.device.createStream("side-" + i)) {
          side.read(auto, 0, new int[1]);
        }
        Settling.settle(bench.device);
      }
      // The one in use, its successor, and a few fences of the runtime.
      assertThat(watch.count("cuEventCreate")).isLessThan(10);
    }
    bench.close();
    bench.assertReleased();
  }

  @Test
  void ifOneCannotBeRecordedOtherStreamsAreRefusedUntilItCan() {
    Workbench bench = new Workbench();
    try (DeviceBuffer auto = automatic(bench);
        Stream side = bench.device.createStream("side")) {
      try (FaultSession faults = Faults.failUse("cuEventRecord", 1, Faults.UNKNOWN)) {
        assertThatThrownBy(() -> bench.fill(auto, 1).launch(bench.stream))
            .isInstanceOfSatisfying(
                CudaException.class, e -> assertThat(e.function()).isEqualTo("cuEventRecord"));
        assertThat(faults.injected()).hasSize(1);
      }
      assertThatThrownBy(() -> side.copy(auto, 0, bench.a, 0, BYTES))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(
              "The automatic order of buffer 'auto' is lost: the driver refused to record an event"
                  + " behind its use on stream 'stream', so stream 'side' cannot wait for it.");
      bench.fill(auto, 2).launch(bench.stream);
      int[] values = new int[BYTES / 4];
      side.read(auto, 0, values);
      assertThat(values).containsOnly(2);
    } finally {
      bench.close();
    }
    bench.assertReleased();
  }
}
