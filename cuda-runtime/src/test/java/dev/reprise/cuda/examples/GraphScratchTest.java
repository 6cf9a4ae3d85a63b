package dev.reprise.cuda.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A graph that allocates what it needs while it runs. */
@ExtendWith(EverythingReleased.class)
final class GraphScratchTest {

  @Test
  void scratchMemoryIsThereDuringAReplay() {
    int[] result = new int[4];
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        DeviceBuffer output = device.allocate("output", 16)) {
      try (Graph graph =
              stream.capture(capture -> {
                try (DeviceBuffer scratch = stream.allocate("scratch", 16)) {
                  stream.fill32(scratch, 0, 4, 5);
                  stream.copy(scratch, 0, output, 0, 16);
                }
              });
          GraphExec exec = graph.instantiate()) {
        exec.replay(stream);
        exec.replay(stream);
        stream.read(output, 0, result);
        assertThat(device.graphMemory().usedBytes()).isGreaterThanOrEqualTo(16);
      }
    }
    assertThat(result).containsOnly(5);
  }
}
