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

/** Captures work on two streams as one graph, in which the streams are branches. */
@ExtendWith(EverythingReleased.class)
final class CaptureForksTest {

  @Test
  void twoBranchesRunBetweenAForkAndAJoin() {
    int[] result = new int[2];
    try (Device device = Device.open(0);
        Stream main = device.createStream("main");
        Stream side = device.createStream("side");
        DeviceBuffer left = device.allocate("left", 4);
        DeviceBuffer right = device.allocate("right", 4);
        DeviceBuffer both = device.allocate("both", 8)) {
      try (Graph graph =
              main.capture(
                  "step",
                  capture -> {
                    capture.fork(side);
                    main.fill32(left, 0, 1, 1);
                    side.fill32(right, 0, 1, 2);
                    capture.join(side);
                    main.copy(left, 0, both, 0, 4);
                    main.copy(right, 0, both, 4, 4);
                  });
          GraphExec step = graph.instantiate()) {
        assertThat(graph.nodeCount()).isEqualTo(4);
        step.upload(main);
        step.replay(main);
      }
      main.read(both, 0, result);
    }
    assertThat(result).containsExactly(1, 2);
  }
}
