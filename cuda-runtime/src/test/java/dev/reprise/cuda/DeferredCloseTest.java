package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.diagnostics.ResourceKind;
import org.junit.jupiter.api.Test;

/** Closing what the GPU still uses takes effect at once, and is carried out behind the last use. */
final class DeferredCloseTest extends GpuTest {

  @Test
  void memoryOutlivesTheLaunchThatUsesIt() {
    DeviceBuffer source = ints("source", 1, 2, 3, 4);
    DeviceBuffer target = ints("target", 0, 0, 0, 0);
    try (Gate gate = new Gate(stream)) {
      stream.copy(source, 0, target, 0, 16);
      source.close();
      assertThat(source.isClosed()).isTrue();
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(2);
      gate.letGoAndWait(stream);
      assertThat(read(target)).containsExactly(1, 2, 3, 4);
    }
    Eventually.isTrue("source released", () -> live(ResourceKind.DEVICE_BUFFER) == 1);
    target.close();
  }

  @Test
  void theLibraryThreadReleasesWhatNobodyWaitsFor() {
    DeviceBuffer buffer = device.allocate("buffer", 16);
    try (Gate gate = new Gate(stream)) {
      stream.fill32(buffer, 0, 4, 9);
      buffer.close();
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
      gate.letGo();
      Eventually.isTrue("released", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
    }
  }

  @Test
  void aBufferUsedOnTwoStreamsWaitsForBoth() {
    DeviceBuffer buffer = device.allocate("buffer", 16);
    try (Stream side = device.createStream("side");
        Gate held = new Gate(side)) {
      stream.fill32(buffer, 0, 2, 9);
      side.fill32(buffer, 8, 2, 9);
      buffer.close();
      stream.synchronize();
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
      held.letGo();
      Eventually.isTrue("released", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
    }
  }

  @Test
  void closingIdleMemoryDoesNotWaitForOtherWork() {
    DeviceBuffer idle = device.allocate("idle", 16);
    try (Gate gate = new Gate(stream);
        DeviceBuffer other = device.allocate("other", 16)) {
      idle.close();
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
      assertThat(stream.isComplete()).isFalse();
      assertThat(other.isClosed()).isFalse();
      gate.letGo();
    }
  }

  @Test
  void pinnedMemoryOutlivesItsCopy() {
    DeviceBuffer target = ints("target", 0, 0);
    PinnedBuffer source = device.allocatePinned("source", 8);
    source.segment().setAtIndex(JAVA_INT, 0, 41);
    source.segment().setAtIndex(JAVA_INT, 1, 42);
    try (Gate gate = new Gate(stream)) {
      int pinned = live(ResourceKind.PINNED_BUFFER);
      stream.copyToDevice(source, 0, target, 0, 8);
      source.close();
      assertThat(live(ResourceKind.PINNED_BUFFER)).isEqualTo(pinned);
      gate.letGoAndWait(stream);
      assertThat(read(target)).containsExactly(41, 42);
    }
    target.close();
  }

  @Test
  void codeOutlivesItsLaunch() {
    DeviceBuffer target = ints("target", 0, 0, 0, 0);
    CudaModule code = device.loadModule("code", ptx());
    PreparedLaunch launch =
        code.kernel("fill")
            .prepare(
                LaunchConfig.of(1, 4), KernelArg.write(target), KernelArg.i32(6), KernelArg.i32(4));
    try (Gate gate = new Gate(stream)) {
      launch.launch(stream);
      code.close();
      assertThat(live(ResourceKind.MODULE)).isEqualTo(2);
      gate.letGoAndWait(stream);
      assertThat(read(target)).containsExactly(6, 6, 6, 6);
    }
    Eventually.isTrue("code released", () -> live(ResourceKind.MODULE) == 1);
    target.close();
  }

  @Test
  void anExecAndItsMemoryOutliveTheReplay() {
    DeviceBuffer target = ints("target", 0, 0, 0, 0);
    PinnedBuffer result = device.allocatePinned("result", 16);
    Graph graph =
        stream.capture(capture -> {
          fill(target, 8, 4).launch(stream);
          stream.copyToHost(target, 0, result, 0, 16);
        });
    GraphExec exec = graph.instantiate();
    try (Gate gate = new Gate(stream)) {
      exec.replay(stream);
      exec.close();
      graph.close();
      target.close();
      assertThat(live(ResourceKind.GRAPH_EXEC)).isEqualTo(1);
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
      gate.letGoAndWait(stream);
      assertThat(result.segment().toArray(JAVA_INT)).containsExactly(8, 8, 8, 8);
    }
    Eventually.isTrue("exec released", () -> live(ResourceKind.GRAPH_EXEC) == 0);
    Eventually.isTrue("memory released", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
    result.close();
  }

  @Test
  void aClosedStreamFinishesItsWork() {
    DeviceBuffer target = ints("target", 0, 0, 0, 0);
    Stream side = device.createStream("side");
    Event done = device.createEvent("done");
    try (Gate gate = new Gate(side)) {
      fill(target, 4, 4).launch(side);
      side.record(done);
      side.close();
      assertThat(live(ResourceKind.STREAM)).isEqualTo(2);
      gate.letGo();
      done.synchronize();
      assertThat(read(target)).containsExactly(4, 4, 4, 4);
    }
    Eventually.isTrue("stream released", () -> live(ResourceKind.STREAM) == 1);
    target.close();
    done.close();
  }

  @Test
  void nothingIsReleasedDuringACapture() {
    DeviceBuffer doomed = device.allocate("doomed", 16);
    DeviceBuffer target = device.allocate("target", 16);
    try (Graph graph =
        stream.capture(capture -> {
          doomed.close();
          assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(2);
          fill(target, 1, 4).launch(stream);
        })) {
      Eventually.isTrue("released after it", () -> live(ResourceKind.DEVICE_BUFFER) == 1);
      assertThat(graph.nodeCount()).isEqualTo(1);
    }
    target.close();
  }
}
