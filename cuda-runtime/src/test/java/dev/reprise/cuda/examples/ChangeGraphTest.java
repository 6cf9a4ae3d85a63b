package dev.reprise.cuda.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.FillNode;
import dev.reprise.cuda.FillOperation;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.GraphUpdateResult;
import dev.reprise.cuda.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Changes an executable graph: one node, all of it, or not, with the driver's reason. */
@ExtendWith(EverythingReleased.class)
final class ChangeGraphTest {

  @Test
  void replaysDoWhatTheGraphSaysNow() {
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        DeviceBuffer value = device.allocate("value", 4);
        Graph first = device.createGraph("first");
        Graph second = device.createGraph("second");
        Graph longer = device.createGraph("longer")) {
      FillNode fill = first.addFill(FillOperation.of32(value, 0, 1, 1));
      second.addFill(FillOperation.of32(value, 0, 1, 3));
      longer.addEmpty(longer.addFill(FillOperation.of32(value, 0, 1, 4)));
      try (GraphExec exec = first.instantiate()) {
        assertThat(replayed(exec, stream, value)).isEqualTo(1);
        exec.set(fill, FillOperation.of32(value, 0, 1, 2));
        assertThat(replayed(exec, stream, value)).isEqualTo(2);
        assertThat(exec.update(second).updated()).isTrue();
        assertThat(replayed(exec, stream, value)).isEqualTo(3);
        GraphUpdateResult refused = exec.update(longer);
        assertThat(refused.reason()).isEqualTo(GraphUpdateResult.Reason.TOPOLOGY_CHANGED);
        assertThat(replayed(exec, stream, value)).isEqualTo(3);
      }
    }
  }

  private static int replayed(GraphExec exec, Stream stream, DeviceBuffer value) {
    int[] result = new int[1];
    exec.replay(stream);
    stream.read(value, 0, result);
    return result[0];
  }
}
