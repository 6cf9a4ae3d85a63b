package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import org.junit.jupiter.api.Test;

final class GraphOwnershipTest extends GpuTest {

  @Test
  void memoryLivesAsLongAsTheGraphAndItsExec() {
    DeviceBuffer buffer = device.allocate("buffer", 16);
    PinnedBuffer pinned = device.allocatePinned("pinned", 16);
    Graph graph =
        stream.capture(capture -> {
          fill(buffer, 1, 4).launch(stream);
          stream.copyToHost(buffer, 0, pinned, 0, 16);
        });
    GraphExec exec = graph.instantiate();
    buffer.close();
    pinned.close();
    assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
    assertThat(live(ResourceKind.PINNED_BUFFER)).isEqualTo(1);
    graph.close();
    assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
    exec.close();
    assertThat(live(ResourceKind.DEVICE_BUFFER)).isZero();
    Eventually.isTrue("released", () -> live(ResourceKind.PINNED_BUFFER) == 0);
  }

  @Test
  void codeAndEventsMayBeClosedUnderAGraph() {
    DeviceBuffer counter = ints("counter", 0);
    CudaModule code = device.loadModule("code", ptx());
    PreparedLaunch increment =
        code.kernel("increment").prepare(LaunchConfig.of(1, 1), KernelArg.readWrite(counter));
    Event fork = device.createEvent("fork");
    Event join = device.createEvent("join");
    Stream side = device.createStream("side");
    Graph graph =
        stream.capture(capture -> {
          stream.record(fork);
          side.waitFor(fork);
          increment.launch(side);
          side.record(join);
          stream.waitFor(join);
        });
    GraphExec exec = graph.instantiate();
    graph.close();
    code.close();
    fork.close();
    join.close();
    side.close();
    assertThat(live(ResourceKind.MODULE)).isEqualTo(2);
    assertThat(live(ResourceKind.EVENT)).isEqualTo(2);
    exec.replay(stream);
    assertThat(read(counter)).containsExactly(1);
    exec.close();
    Eventually.isTrue("code released", () -> live(ResourceKind.MODULE) == 1);
    assertThat(live(ResourceKind.EVENT)).isZero();
    counter.close();
  }

  @Test
  void listsItsRegionsAndPointers() {
    DeviceBuffer x = device.allocate("x", 64);
    DeviceBuffer y = device.allocate("y", 32);
    PinnedBuffer host = device.allocatePinned("host", 16);
    PreparedLaunch scale =
        module
            .kernel("scale")
            .prepare(
                LaunchConfig.of(1, 4),
                KernelArg.write(y, 16),
                KernelArg.read(x, 4),
                KernelArg.f32(2),
                KernelArg.i32(4));
    try (Graph graph =
        stream.capture(capture -> {
          stream.copyToDevice(host, 8, x, 24, 8);
          scale.launch(stream);
        })) {
      Region hostRegion = new Region("host", host.segment().address(), host.size(), host.epoch());
      Region xRegion = new Region("x", x.address(), 64, x.epoch());
      Region yRegion = new Region("y", y.address(), 32, y.epoch());
      assertThat(graph.regions()).containsExactly(xRegion, hostRegion, yRegion);
      assertThat(graph.pointers())
          .containsExactly(
              new CapturedPointer("Stream.copyToDevice", 0, xRegion, 24, Access.WRITE),
              new CapturedPointer("Stream.copyToDevice", 1, hostRegion, 8, Access.READ),
              new CapturedPointer("scale", 0, yRegion, 16, Access.WRITE),
              new CapturedPointer("scale", 1, xRegion, 4, Access.READ));
    }
    x.close();
    y.close();
    host.close();
  }

  @Test
  void aGraphOfAClosedBufferIsStale() {
    DeviceBuffer good = ints("good", 0);
    DeviceBuffer bad = ints("bad", 0);
    Graph graph =
        stream.capture(
            "step",
            capture -> {
              increment(good).launch(stream);
              increment(bad).launch(stream);
            });
    GraphExec exec = graph.instantiate();
    exec.replay(stream);
    int captured = bad.epoch();
    bad.close();
    assertThat(bad.epoch()).isNotEqualTo(captured);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> exec.replay(stream))
          .isInstanceOfSatisfying(
              StaleGraphException.class,
              e -> {
                assertThat(e).hasMessageContaining("'step'").hasMessageContaining("'bad'");
                assertThat(e.region()).isEqualTo("bad");
                assertThat(e.capturedEpoch()).isEqualTo(captured);
                assertThat(e.currentEpoch()).isEqualTo(bad.epoch());
              });
    }
    assertThatThrownBy(() -> exec.upload(stream)).isInstanceOf(StaleGraphException.class);
    assertThatThrownBy(graph::instantiate).isInstanceOf(StaleGraphException.class);
    assertThat(read(good)).containsExactly(1);
    exec.close();
    graph.close();
    good.close();
  }

  @Test
  void closingOtherBuffersMakesNoGraphStale() {
    DeviceBuffer counter = ints("counter", 0);
    try (Graph graph = stream.capture(capture -> increment(counter).launch(stream));
        GraphExec exec = graph.instantiate()) {
      for (int i = 0; i < 10; i++) {
        exec.replay(stream);
        device.allocate("other", 16).close();
      }
    }
    assertThat(read(counter)).containsExactly(10);
    counter.close();
  }

  @Test
  void aFailedCaptureOwnsNothing() {
    DeviceBuffer buffer = ints("buffer", 0);
    assertThatThrownBy(() ->
            stream.capture(capture -> {
              increment(buffer).launch(stream);
              throw new IllegalArgumentException("planted");
            }))
        .hasMessage("planted");
    buffer.close();
    Eventually.isTrue("released", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
  }
}
