package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory that is allocated while a stream is captured. */
final class CapturedMemoryTest extends GpuTest {

  @Test
  void isMemoryOfTheGraph() {
    DeviceBuffer result = ints("result", 0, 0);
    try (Graph graph =
            stream.capture(capture -> {
              try (DeviceBuffer scratch = stream.allocate("scratch", 8)) {
                stream.fill32(scratch, 0, 2, 6);
                stream.launch(increment(scratch));
                stream.copy(scratch, 0, result, 0, 8);
              }
            });
        GraphExec exec = graph.instantiate()) {
      assertThat(graph.regions()).extracting(Region::label).containsExactly("scratch", "result");
      for (int i = 0; i < 3; i++) {
        exec.replay(stream);
        assertThat(read(result)).containsExactly(7, 6);
      }
      graph.close();
      exec.replay(stream);
      stream.synchronize();
    }
    Eventually.isTrue("only the result", () -> live(ResourceKind.DEVICE_BUFFER) == 1);
    result.close();
  }

  @Test
  void mayComeFromAPool() {
    try (MemoryPool pool = device.createMemoryPool("pool");
        Graph graph = stream.capture(capture -> stream.allocate("scratch", 8, pool).close())) {
      assertThat(pool.usedBytes()).isZero();
      assertThat(graph.nodeCount()).isEqualTo(2);
    }
  }

  @Test
  void mayBeUsedByForksThatAreJoinedBeforeTheFree() {
    DeviceBuffer result = ints("result", 0);
    try (Stream side = device.createStream("side")) {
      try (Graph graph =
              stream.capture(capture -> {
                DeviceBuffer scratch = stream.allocate("scratch", 4);
                capture.fork(side);
                side.fill32(scratch, 0, 1, 9);
                capture.join(side);
                stream.copy(scratch, 0, result, 0, 4);
                scratch.close();
              });
          GraphExec exec = graph.instantiate()) {
        exec.replay(stream);
        assertThat(read(result)).containsExactly(9);
      }
    }
    result.close();
  }

  @Test
  void isNotFreedUnderAForkThatUsesIt() {
    try (Stream side = device.createStream("side")) {
      for (boolean close : new boolean[] {true, false}) {
        assertThatThrownBy(() ->
                stream.capture(capture -> {
                  DeviceBuffer scratch = stream.allocate("scratch", 4);
                  capture.fork(side);
                  side.fill32(scratch, 0, 1, 9);
                  if (close) {
                    scratch.close();
                  } else {
                    stream.free(scratch);
                  }
                }))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("'scratch' cannot be freed on stream 'main'")
            .hasMessageContaining("'side'");
      }
    }
    Eventually.isTrue("nothing is left", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
  }

  @Test
  void isNotUsedWhereTheAllocationIsNotWaitedFor() {
    try (Stream side = device.createStream("side")) {
      assertThatThrownBy(() ->
              stream.capture(capture -> {
                capture.fork(side);
                DeviceBuffer scratch = stream.allocate("scratch", 4);
                side.fill32(scratch, 0, 1, 9);
              }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'side' cannot use DeviceBuffer 'scratch'");
    }
  }

  @Test
  void isNotUsedBehindItsFree() {
    assertThatThrownBy(() ->
            stream.capture(capture -> {
              DeviceBuffer scratch = stream.allocate("scratch", 4);
              stream.free(scratch);
              stream.fill32(scratch, 0, 1, 9);
            }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'scratch' was freed earlier in this capture");
    assertThatThrownBy(() ->
            stream.capture(capture -> {
              DeviceBuffer scratch = stream.allocate("scratch", 4);
              PreparedLaunch launch = increment(scratch);
              scratch.close();
              stream.launch(launch);
            }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'scratch' is closed");
    assertThatThrownBy(() ->
            stream.capture(capture -> {
              DeviceBuffer scratch = stream.allocate("scratch", 4);
              stream.free(scratch);
              stream.free(scratch);
            }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("freed earlier");
  }

  @Test
  void aRefusalLeavesTheCaptureUsable() {
    DeviceBuffer result = ints("result", 0);
    try (Graph graph =
            stream.capture(capture -> {
              DeviceBuffer scratch = stream.allocate("scratch", 4);
              stream.fill32(scratch, 0, 1, 4);
              stream.copy(scratch, 0, result, 0, 4);
              stream.free(scratch);
              assertThatThrownBy(() -> stream.fill32(scratch, 0, 1, 5))
                  .isInstanceOf(IllegalStateException.class);
              assertThatThrownBy(() -> stream.allocate("empty", 0))
                  .isInstanceOf(IllegalArgumentException.class);
            });
        GraphExec exec = graph.instantiate()) {
      exec.replay(stream);
      assertThat(read(result)).containsExactly(4);
    }
    result.close();
  }

  @Test
  void isRefusedOnStreamsThatTakeNoPart() {
    try (Stream other = device.createStream("other")) {
      assertThatThrownBy(() -> stream.capture(capture -> other.allocate("scratch", 4)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("Stream.allocate('scratch')");
      List<DeviceBuffer> kept = new ArrayList<>();
      Graph graph =
          stream.capture(capture -> {
            DeviceBuffer scratch = stream.allocate("scratch", 4);
            kept.add(scratch);
            assertThatThrownBy(() -> other.fill32(scratch, 0, 1, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'scratch' is memory of a graph");
          });
      DeviceBuffer scratch = kept.getFirst();
      assertThatThrownBy(() -> increment(scratch).launch(stream))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'scratch' is memory of a graph");
      assertThatThrownBy(() -> stream.free(scratch)).isInstanceOf(IllegalStateException.class);
      graph.close();
      assertThat(scratch.isClosed()).isTrue();
    }
  }
}
