package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class CaptureTest extends GpuTest {

  @Test
  void recordsInsteadOfRunning() {
    DeviceBuffer counter = ints("counter", 0);
    PreparedLaunch increment = increment(counter);
    try (Graph graph =
        stream.capture(
            "three steps",
            capture -> {
              assertThat(stream.isCapturing()).isTrue();
              assertThat(capture.origin()).isSameAs(stream);
              for (int i = 0; i < 3; i++) {
                increment.launch(stream);
              }
            })) {
      assertThat(stream.isCapturing()).isFalse();
      assertThat(graph.label()).isEqualTo("three steps");
      assertThat(graph.nodeCount()).isEqualTo(3);
      assertThat(read(counter)).containsExactly(0);
      try (GraphExec exec = graph.instantiate()) {
        exec.upload(stream);
        assertThat(read(counter)).containsExactly(0);
        exec.replay(stream);
        exec.replay(stream);
        assertThat(read(counter)).containsExactly(6);
      }
    }
    counter.close();
  }

  @Test
  void capturesCopiesAndFills() {
    DeviceBuffer a = ints("a", 0, 0, 0, 0);
    DeviceBuffer b = ints("b", 0, 0, 0, 0);
    PinnedBuffer in = device.allocatePinned("in", 16);
    PinnedBuffer out = device.allocatePinned("out", 16);
    try (Graph graph =
            stream.capture(capture -> {
              stream.fill8(a, 0, 4, (byte) 1);
              stream.fill32(a, 4, 1, 77);
              stream.copyToDevice(in, 0, a, 8, 8);
              stream.copy(a, 0, b, 0, 16);
              stream.copyToHost(b, 0, out, 0, 16);
            });
        GraphExec exec = graph.instantiate()) {
      assertThat(graph.nodeCount()).isEqualTo(5);
      MemorySegment.copy(MemorySegment.ofArray(new int[] {5, 6}), 0, in.segment(), 0, 8);
      exec.replay(stream);
      stream.synchronize();
      assertThat(out.segment().toArray(JAVA_INT)).containsExactly(0x01010101, 77, 5, 6);
    }
    List.of(a, b).forEach(DeviceBuffer::close);
    in.close();
    out.close();
  }

  @Test
  void anEmptyCaptureIsAnEmptyGraph() {
    try (Graph graph = stream.capture(capture -> {});
        GraphExec exec = graph.instantiate()) {
      assertThat(graph.nodeCount()).isZero();
      assertThat(graph.regions()).isEmpty();
      exec.replay(stream);
      stream.synchronize();
    }
  }

  @Test
  void dotNamesTheKernels() {
    DeviceBuffer counter = ints("counter", 0);
    try (Graph graph = stream.capture(capture -> increment(counter).launch(stream))) {
      assertThat(graph.toDot()).contains("digraph").contains("increment");
    }
    counter.close();
  }

  @Test
  void aFailingBodyEndsTheCaptureAndThrowsItsCause() {
    DeviceBuffer counter = ints("counter", 0);
    PreparedLaunch increment = increment(counter);
    IllegalArgumentException cause = new IllegalArgumentException("the body failed");
    assertThatThrownBy(() ->
            stream.capture(capture -> {
              increment.launch(stream);
              throw cause;
            }))
        .isSameAs(cause);
    assertThat(stream.isCapturing()).isFalse();
    assertThat(live(ResourceKind.GRAPH)).isZero();

    increment.launch(stream);
    assertThat(read(counter)).containsExactly(1);
    try (Graph graph = stream.capture(capture -> increment.launch(stream));
        GraphExec exec = graph.instantiate()) {
      exec.replay(stream);
    }
    assertThat(read(counter)).containsExactly(2);
    counter.close();
  }

  @Test
  void anErrorInTheBodyIsThrownAsItIs() {
    AssertionError error = new AssertionError("planted");
    assertThatThrownBy(() ->
            stream.capture(capture -> {
              throw error;
            }))
        .isSameAs(error);
    stream.synchronize();
  }

  @Test
  void refusesWhatWouldBreakItAndNamesTheCall() {
    DeviceBuffer buffer = ints("buffer", 0);
    Event event = device.createTimingEvent();
    Event other = device.createTimingEvent();
    Stream side = device.createStream("side");
    Graph earlier = stream.capture("earlier", capture -> {});
    byte[] bytes = new byte[4];
    record Refused(String name, Runnable call) {}
    List<Refused> calls =
        List.of(
            new Refused("Device.allocate('x')", () -> device.allocate("x", 4)),
            new Refused("Device.allocatePinned('x')", () -> device.allocatePinned("x", 4)),
            new Refused("Device.loadModule('x')", () -> device.loadModule("x", ptx())),
            new Refused("Device.synchronize", device::synchronize),
            new Refused("Device.open", () -> Device.open(0)),
            new Refused("Stream.synchronize of 'main'", stream::synchronize),
            new Refused("Stream.synchronize of 'side'", side::synchronize),
            new Refused("Stream.isComplete of 'main'", stream::isComplete),
            new Refused(
                "Stream.write to 'buffer'",
                () -> stream.write(MemorySegment.ofArray(bytes), buffer, 0)),
            new Refused(
                "Stream.read of 'buffer'",
                () -> stream.read(buffer, 0, MemorySegment.ofArray(bytes))),
            new Refused("Event.synchronize", event::synchronize),
            new Refused("Event.isComplete", event::isComplete),
            new Refused("Event.elapsedMillis", () -> event.elapsedMillis(other)),
            new Refused("Stream.capture of 'side'", () -> side.capture(capture -> {})),
            new Refused("Graph.instantiate of 'earlier'", earlier::instantiate));
    List<String> messages = new ArrayList<>();
    try (Graph graph =
        stream.capture(capture -> {
          for (Refused refused : calls) {
            try {
              refused.call().run();
              messages.add("allowed");
            } catch (IllegalStateException e) {
              messages.add(String.valueOf(e.getMessage()));
            }
          }
          increment(buffer).launch(stream);
        })) {
      // Nothing of it reached the driver, so that the capture is as good as before.
      assertThat(graph.nodeCount()).isEqualTo(1);
    }
    assertThat(messages).hasSameSizeAs(calls);
    for (int i = 0; i < calls.size(); i++) {
      assertThat(messages.get(i))
          .startsWith(calls.get(i).name() + " is not allowed while this thread captures")
          .contains("'main'");
    }
    List.of(buffer, event, other, side, earlier).forEach(CaptureTest::close);
  }

  private static void close(AutoCloseable object) {
    try {
      object.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void refusesToReplayIntoACapture() {
    try (Graph inner = stream.capture("inner", capture -> {});
        GraphExec exec = inner.instantiate()) {
      assertThatThrownBy(() -> stream.capture(capture -> exec.replay(stream)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'inner' cannot be replayed on stream 'main'");
    }
  }

  @Test
  void refusesToCloseAStreamThatIsCaptured() {
    assertThatThrownBy(() -> stream.capture(capture -> stream.close()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'main'")
        .hasMessageContaining("cannot be closed");
    stream.synchronize();
  }

  @Test
  void refusesVirtualThreads() throws InterruptedException {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread.ofVirtual()
        .start(() -> {
          try {
            stream.capture(capture -> {}).close();
          } catch (RuntimeException e) {
            thrown.set(e);
          }
        })
        .join();
    assertThat(thrown.get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("virtual thread");
  }

  @Test
  void otherThreadsMayNotUseTheStreamButMayWorkElsewhere() throws InterruptedException {
    DeviceBuffer mine = ints("mine", 0);
    DeviceBuffer others = ints("others", 0);
    List<RuntimeException> onCaptured = new CopyOnWriteArrayList<>();
    List<RuntimeException> elsewhere = new CopyOnWriteArrayList<>();
    try (Stream side = device.createStream("side");
        Graph graph =
            stream.capture(capture -> {
              increment(mine).launch(stream);
              Thread other =
                  Thread.ofPlatform()
                      .start(() -> {
                        attempt(onCaptured, () -> increment(others).launch(stream));
                        attempt(onCaptured, stream::synchronize);
                        attempt(onCaptured, stream::isComplete);
                        attempt(
                            elsewhere,
                            () -> {
                              try (DeviceBuffer own = device.allocate("own", 4)) {
                                side.fill32(own, 0, 1, 5);
                                side.copy(own, 0, others, 0, 4);
                                side.synchronize();
                              }
                            });
                      });
              join(other);
            })) {
      assertThat(onCaptured)
          .hasSize(3)
          .allSatisfy(e ->
              assertThat(e)
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("Stream 'main' is being captured by thread"));
      assertThat(elsewhere).isEmpty();
      assertThat(graph.nodeCount()).isEqualTo(1);
    }
    assertThat(read(others)).containsExactly(5);
    mine.close();
    others.close();
  }

  private static void attempt(List<RuntimeException> thrown, Runnable call) {
    try {
      call.run();
    } catch (RuntimeException e) {
      thrown.add(e);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
