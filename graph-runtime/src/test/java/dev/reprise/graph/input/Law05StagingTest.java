package dev.reprise.graph.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Event;
import dev.reprise.cuda.Stream;
import dev.reprise.kernels.Span;
import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.faults.FaultPlan;
import dev.reprise.softgpu.faults.FaultRule;
import dev.reprise.softgpu.faults.FaultSession;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Law 5: a staging slot is not filled again before the copies out of it are done. */
class Law05StagingTest {

  private static final int SLOTS = 2;
  private static final int COPIES = 3;

  @Test
  void aSlotIsNotFilledAgainBeforeItsCopyIsDone() {
    AtomicInteger acquired = new AtomicInteger();
    CountDownLatch gate = new CountDownLatch(1);
    // The third copy needs the slot of the first, which the gate holds up: it is opened just then.
    int[] arrived =
        copies(
            gate,
            event -> {
              if (acquired.incrementAndGet() > SLOTS) {
                gate.countDown();
              }
              event.synchronize();
            });
    assertThat(arrived).containsExactly(100, 101, 102);
  }

  @Test
  void aRingThatDoesNotWaitIsCaught() {
    CountDownLatch gate = new CountDownLatch(1);
    assertThat(copies(gate, event -> {})).containsExactly(102, 101, 102);
  }

  @Test
  void whatAFailedUploadLeftOutIsUploadedTheNextTime() {
    try (Device device = Device.open(0);
        Stream stream = device.createStream("inputs");
        StaticInputs inputs = new StaticInputs(device, 4, 2, 2)) {
      Optional<SoftwareDriver> driver = SoftwareDriver.ofProcess();
      Assumptions.assumeTrue(driver.isPresent(), "only the software GPU fails on purpose");
      inputs.upload(stream);
      for (int failing = 1; failing <= 3; failing++) {
        inputs.set(RowInput.TOKENS, 1, 70 + failing);
        inputs.set(RowInput.POSITIONS, 3, 80 + failing);
        inputs.set(RowInput.TOP_K, 0, 90 + failing);
        FaultPlan plan =
            FaultPlan.of(
                FaultRule.call("cuMemcpyHtoDAsync_v2", failing, cuda_h.CUDA_ERROR_OUT_OF_MEMORY()));
        try (FaultSession session = driver.orElseThrow().faults().install(plan)) {
          assertThatThrownBy(() -> inputs.upload(stream)).isInstanceOf(CudaException.class);
          assertThat(session.injected()).hasSize(1);
        }
        assertThat(inputs.upload(stream)).isPositive();
        assertThat(word(stream, inputs.span(RowInput.TOKENS), 1)).isEqualTo(70 + failing);
        assertThat(word(stream, inputs.span(RowInput.POSITIONS), 3)).isEqualTo(80 + failing);
        assertThat(word(stream, inputs.span(RowInput.TOP_K), 0)).isEqualTo(90 + failing);
        assertThat(inputs.upload(stream)).isZero();
      }
    }
  }

  private static int word(Stream stream, Span span, int row) {
    int[] value = new int[1];
    stream.read(span.buffer(), span.offset() + (long) row * Integer.BYTES, value);
    return value[0];
  }

  /** Stages three values one after the other, all of them held up; what arrives of each. */
  private static int[] copies(CountDownLatch gate, Consumer<Event> await) {
    try (Arena arena = Arena.ofConfined();
        Device device = Device.open(0);
        Stream stream = device.createStream("staging");
        DeviceBuffer target = device.allocate("target", Integer.BYTES);
        DeviceBuffer arrived = device.allocate("arrived", COPIES * Integer.BYTES);
        StagingRing ring = new StagingRing(device, SLOTS, Integer.BYTES, await)) {
      MemorySegment mirror = arena.allocate(ValueLayout.JAVA_INT);
      CopyRanges word = new CopyRanges(1);
      word.add(0, Integer.BYTES);
      stream.launchHost(() -> pass(gate));
      for (int i = 0; i < COPIES; i++) {
        mirror.set(ValueLayout.JAVA_INT, 0, 100 + i);
        ring.copy(stream, mirror, word, target);
        stream.copy(target, 0, arrived, (long) i * Integer.BYTES, Integer.BYTES);
      }
      gate.countDown();
      int[] values = new int[COPIES];
      stream.read(arrived, 0, values);
      return values;
    }
  }

  private static void pass(CountDownLatch gate) {
    try {
      gate.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
