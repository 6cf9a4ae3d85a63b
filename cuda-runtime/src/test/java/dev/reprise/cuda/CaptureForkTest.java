package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class CaptureForkTest extends GpuTest {

  private Stream left;
  private Stream right;
  private DeviceBuffer a;
  private DeviceBuffer b;
  private DeviceBuffer c;

  @SuppressWarnings("NullAway.Init") // set before each test
  CaptureForkTest() {}

  @BeforeEach
  void openStreams() {
    left = device.createStream("left");
    right = device.createStream("right");
    a = ints("a", 0);
    b = ints("b", 0);
    c = ints("c", 0);
  }

  @AfterEach
  void closeStreams() {
    a.close();
    b.close();
    c.close();
    left.close();
    right.close();
  }

  @Test
  void aDiamondRunsInOrder() {
    try (Graph graph =
            stream.capture(capture -> {
              stream.fill32(a, 0, 1, 1);
              capture.fork(left);
              capture.fork(right);
              left.copy(a, 0, b, 0, 4);
              right.copy(a, 0, c, 0, 4);
              increment(b).launch(left);
              assertThat(left.isCapturing()).isTrue();
              capture.join(left);
              capture.join(right);
              stream.copy(b, 0, a, 0, 4);
            });
        GraphExec exec = graph.instantiate()) {
      assertThat(left.isCapturing()).isFalse();
      assertThat(graph.nodeCount()).isEqualTo(5);
      for (int i = 0; i < 20; i++) {
        stream.fill32(a, 0, 1, 100);
        exec.replay(stream);
        assertThat(read(a)).containsExactly(2);
        assertThat(read(b)).containsExactly(2);
        assertThat(read(c)).containsExactly(1);
      }
    }
  }

  @Test
  void aForkOfAForkIsJoinedThroughIt() {
    try (Graph graph =
        stream.capture(capture -> {
          capture.fork(left);
          increment(a).launch(left);
          capture.fork(left, right);
          increment(b).launch(right);
          capture.join(right, left);
          capture.join(left);
        })) {
      assertThat(graph.nodeCount()).isEqualTo(2);
    }
  }

  @Test
  void eventsForkAndJoinAsWell() {
    try (Event begin = device.createEvent("begin");
        Event end = device.createEvent("end");
        Graph graph =
            stream.capture(capture -> {
              stream.record(begin);
              left.waitFor(begin);
              increment(a).launch(left);
              left.record(end);
              stream.waitFor(end);
            });
        GraphExec exec = graph.instantiate()) {
      assertThat(graph.nodeCount()).isEqualTo(1);
      exec.replay(stream);
      assertThat(read(a)).containsExactly(1);

      assertThatThrownBy(end::isComplete)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'end' was last recorded in the capture of stream 'main'");
      assertThatThrownBy(() -> stream.waitFor(end))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("which is over");
      stream.record(end);
      end.synchronize();
      assertThat(end.isComplete()).isTrue();
    }
  }

  @Test
  void aForkThatIsNotJoinedIsNamed() {
    assertThatThrownBy(() ->
            stream.capture(capture -> {
              capture.fork(left);
              capture.fork(right);
              increment(a).launch(left);
              capture.join(right);
            }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(
            "stream 'main' ended with work that it does not wait for, on 'left'.");
    assertUsable();
  }

  @Test
  void workAfterTheJoinMustBeJoinedAgain() {
    assertThatThrownBy(() ->
            stream.capture(capture -> {
              capture.fork(left);
              capture.join(left);
              increment(a).launch(left);
            }))
        .hasMessageContaining("on 'left'.");
    assertUsable();
    try (Graph graph =
        stream.capture(capture -> {
          capture.fork(left);
          capture.join(left);
          increment(a).launch(left);
          capture.join(left);
        })) {
      assertThat(graph.nodeCount()).isEqualTo(1);
    }
  }

  @Test
  void aFailingBodyFreesTheForkedStreamsToo() {
    assertThatThrownBy(() ->
            stream.capture(capture -> {
              capture.fork(left);
              increment(a).launch(left);
              throw new IllegalArgumentException("planted");
            }))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("planted");
    assertUsable();
  }

  private void assertUsable() {
    assertThat(live(ResourceKind.GRAPH)).isZero();
    for (Stream each : new Stream[] {stream, left, right}) {
      assertThat(each.isCapturing()).isFalse();
      increment(a).launch(each);
      each.synchronize();
    }
    assertThat(read(a)).containsExactly(3);
  }

  @Test
  void onlyStreamsOfTheCaptureFork() {
    assertThatThrownBy(() -> stream.capture(capture -> capture.fork(left, right)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Stream 'left' takes no part in the capture of stream 'main'");
    assertThatThrownBy(() -> stream.capture(capture -> capture.fork(stream)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anEventFromOutsideIsRefused() {
    try (Event outside = device.createEvent("outside")) {
      stream.record(outside);
      assertThatThrownBy(() -> stream.capture(capture -> stream.waitFor(outside)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(
              "cannot wait for event 'outside', which was not recorded in the capture");
    }
  }

  @Test
  void aCaptureIsOverWhenItsBodyReturns() {
    Capture[] kept = new Capture[1];
    stream
        .capture(capture -> {
          kept[0] = capture;
        })
        .close();
    assertThatThrownBy(() -> kept[0].fork(left))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is over");
  }
}
