package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.Leak;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

final class LeakTest extends GpuTest {

  @SuppressWarnings("CheckReturnValue") // the point of the test is to lose it
  private void loseABuffer() {
    device.allocate("lost", 16);
  }

  private static void collectUntil(String what, BooleanSupplier condition) {
    Eventually.isTrue(
        what,
        () -> {
          System.gc();
          return condition.getAsBoolean();
        });
  }

  @Test
  void aLostBufferIsReportedAndReleased() {
    loseABuffer();
    collectUntil("reported", () -> listener.leaks.size() == 1);
    Leak leak = listener.leaks.getFirst();
    assertThat(leak.kind()).isEqualTo(ResourceKind.DEVICE_BUFFER);
    assertThat(leak.label()).isEqualTo("lost");
    assertThat(leak.creationSite()).isNull();
    Eventually.isTrue("released", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
  }

  @Test
  void withCreationSitesTheReportShowsWhereItWasMade() {
    RecordingListener own = new RecordingListener();
    try (Device traced =
        Device.open(0, Diagnostics.standard().withCreationSites().withListener(own))) {
      loseAStreamOf(traced);
      collectUntil("reported", () -> own.leaks.size() == 1);
      Throwable site = Objects.requireNonNull(own.leaks.getFirst().creationSite());
      assertThat(site.getStackTrace())
          .extracting(StackTraceElement::getMethodName)
          .contains("loseAStreamOf");
    }
  }

  @SuppressWarnings("CheckReturnValue") // the point of the test is to lose it
  private static void loseAStreamOf(Device traced) {
    traced.createStream("lost");
  }

  @Test
  void aSliceOfPinnedMemoryKeepsAllOfItAlive() {
    MemorySegment slice = device.allocatePinned("sliced", 64).segment().asSlice(8, 8);
    for (int i = 0; i < 5; i++) {
      System.gc();
    }
    assertThat(listener.leaks).isEmpty();
    slice.fill((byte) 1);
    assertThat(live(ResourceKind.PINNED_BUFFER)).isEqualTo(1);
    slice = MemorySegment.NULL;
    collectUntil("reported", () -> listener.leaks.size() == 1);
    Eventually.isTrue("released", () -> live(ResourceKind.PINNED_BUFFER) == 0);
    assertThat(slice.address()).isZero();
  }

  @Test
  void whatAGraphOwnsIsNotLost() {
    replayWhatWasForgotten();
    collectUntil("reported once the graph let go", () -> !listener.leaks.isEmpty());
    assertThat(listener.leaks.getFirst().label()).isEqualTo("forgotten");
  }

  /** In a method of its own: a local variable of the test would keep the graph reachable. */
  private void replayWhatWasForgotten() {
    try (GraphExec exec = captureAndForget()) {
      for (int i = 0; i < 5; i++) {
        System.gc();
      }
      exec.replay(stream);
      stream.synchronize();
      assertThat(listener.leaks).isEmpty();
    }
  }

  private GraphExec captureAndForget() {
    DeviceBuffer forgotten = ints("forgotten", 0);
    try (Graph graph = stream.capture(capture -> increment(forgotten).launch(stream))) {
      return graph.instantiate();
    }
  }
}
