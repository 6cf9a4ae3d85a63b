package dev.reprise.cuda;

import static dev.reprise.cuda.ExternalSemaphoreKind.BINARY_FD;
import static dev.reprise.cuda.ExternalSemaphoreKind.TIMELINE_FD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.AccessCheck;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.softgpu.junit.PlantedMistake;
import dev.reprise.softgpu.sanitizer.ReportKind;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Semaphores of the software GPU, which files stand for. */
@EnabledOnOs(OS.LINUX)
final class ExternalSemaphoreTest extends GpuTest {

  @Override
  Diagnostics diagnostics() {
    return super.diagnostics().withAccessCheck(AccessCheck.REPORT);
  }

  private ExternalSemaphore timeline() {
    return device.importSemaphore("timeline", TIMELINE_FD, Descriptors.file());
  }

  /** A stream that is held stays so however long it is looked at; one that is not soon shows it. */
  private static void assertHeld(Stream held) {
    for (int i = 0; i < 25; i++) {
      assertThat(held.isComplete()).isFalse();
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void itOrdersTwoStreams() {
    try (Stream other = device.createStream("other");
        DeviceBuffer buffer = ints("buffer", 0, 0);
        ExternalSemaphore timeline = timeline()) {
      assertThat(timeline.kind()).isEqualTo(TIMELINE_FD);
      other.waitFor(timeline, 2);
      increment(buffer).launch(other);
      assertHeld(other);
      stream.signal(timeline, 1);
      stream.synchronize();
      assertHeld(other);
      stream.fill32(buffer, 0, 2, 7);
      stream.signal(timeline, 2);
      other.synchronize();
      assertThat(read(buffer)).containsExactly(8, 7);
    }
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = "the check of the runtime finds it")
  void theCheckOfAccessesSeesTheOrderAndItsLack() {
    try (Stream other = device.createStream("other");
        DeviceBuffer buffer = ints("buffer", 0, 0);
        ExternalSemaphore timeline = timeline()) {
      stream.fill32(buffer, 0, 2, 1);
      stream.signal(timeline, 1);
      other.waitFor(timeline, 1);
      other.fill32(buffer, 0, 2, 2);
      assertThat(listener.unordered).isEmpty();
      other.synchronize();
      stream.fill32(buffer, 0, 2, 3);
      stream.signal(timeline, 2);
      // The wait is for what came before, so that it orders nothing with the last fill.
      stream.fill32(buffer, 0, 2, 4);
      other.waitFor(timeline, 2);
      other.fill32(buffer, 0, 2, 5);
      assertThat(listener.unordered).hasSize(1);
      other.synchronize();
    }
  }

  @Test
  void aBinaryOneIsResetByTheWait() {
    try (Stream other = device.createStream("other");
        ExternalSemaphore binary =
            device.importSemaphore("binary", BINARY_FD, Descriptors.file())) {
      stream.signal(binary, 0);
      stream.synchronize();
      other.waitFor(binary, 0);
      other.synchronize();
      other.waitFor(binary, 0);
      assertHeld(other);
      stream.signal(binary, 0);
      other.synchronize();
      assertThatThrownBy(() -> stream.signal(binary, 3))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'binary' of kind BINARY_FD has no value 3; it is set or not");
    }
  }

  @Test
  void nodesSignalAndWait() {
    ExternalSemaphore timeline = timeline();
    try (Stream other = device.createStream("other");
        Graph graph = device.createGraph("graph")) {
      SemaphoreWaitNode wait = graph.addWait(timeline, 1);
      SemaphoreSignalNode signal = graph.addSignal(timeline, 2, wait);
      assertThat(graph.nodes()).containsExactlyInAnyOrder(wait, signal);
      assertThat(signal.type()).isEqualTo(GraphNodeType.SEMAPHORE_SIGNAL);
      GraphExec exec = graph.instantiate();
      exec.replay(stream);
      other.waitFor(timeline, 2);
      assertHeld(other);
      try (Stream third = device.createStream("third")) {
        third.signal(timeline, 1);
        other.synchronize();
      }
      exec.set(signal, timeline, 3);
      exec.set(wait, timeline, 2);
      exec.replay(stream);
      other.waitFor(timeline, 3);
      other.synchronize();
      signal.set(timeline, 4);
      wait.set(timeline, 3);
      assertThat(exec.update(graph).updated()).isTrue();
      // The graph keeps it, as it keeps everything that it uses.
      timeline.close();
      assertThat(live(ResourceKind.EXTERNAL_SEMAPHORE)).isEqualTo(1);
      exec.replay(stream);
      stream.synchronize();
      assertThatThrownBy(() -> stream.signal(timeline, 9))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("ExternalSemaphore 'timeline' is closed");
      exec.close();
    }
    Eventually.isTrue("given back", () -> live(ResourceKind.EXTERNAL_SEMAPHORE) == 0);
  }

  @Test
  void aCaptureTakesSignalsAndWaits() {
    try (DeviceBuffer buffer = ints("buffer", 0);
        ExternalSemaphore binary = device.importSemaphore("binary", BINARY_FD, Descriptors.file());
        Graph graph =
            stream.capture(capture -> {
              increment(buffer).launch(stream);
              stream.signal(binary, 0);
              stream.waitFor(binary, 0);
            });
        GraphExec exec = graph.instantiate()) {
      assertThat(graph.nodes().stream().map(GraphNode::type))
          .containsExactlyInAnyOrder(
              GraphNodeType.KERNEL, GraphNodeType.SEMAPHORE_SIGNAL, GraphNodeType.SEMAPHORE_WAIT);
      exec.replay(stream);
      exec.replay(stream);
      assertThat(read(buffer)).containsExactly(2);
    }
  }

  @Test
  void whatIsNoDescriptorIsRefused() {
    assertThatThrownBy(() -> device.importSemaphore("bad", BINARY_FD, 1_000_000))
        .isInstanceOfSatisfying(
            CudaException.class,
            e -> {
              assertThat(e.function()).isEqualTo("cuImportExternalSemaphore");
              assertThat(e.name()).isEqualTo("CUDA_ERROR_INVALID_VALUE");
              assertThat(e.arguments()).isEqualTo("semaphore=bad, value=1000000");
            });
    assertThat(live(ResourceKind.EXTERNAL_SEMAPHORE)).isZero();
  }
}
