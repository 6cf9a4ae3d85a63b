package dev.reprise.cuda;

import static dev.reprise.cuda.diagnostics.UnorderedAccess.Kind.READ_WRITE;
import static dev.reprise.cuda.diagnostics.UnorderedAccess.Kind.WRITE_READ;
import static dev.reprise.cuda.diagnostics.UnorderedAccess.Kind.WRITE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.diagnostics.UnorderedAccess;
import dev.reprise.softgpu.junit.PlantedMistake;
import dev.reprise.softgpu.sanitizer.ReportKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Orders between streams that are missing, each with the twin that has it. */
final class UnorderedAccessTest extends AccessTest {

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void twoLaunches() {
    fill(a, 1, N).launch(left);
    fill(a, 2, N).launch(right);
    assertFound(
        WRITE_WRITE,
        "a",
        "kernel fill on stream 'left', argument 0, write of bytes 0 to 64",
        "kernel fill on stream 'right', argument 0, write of bytes 0 to 64");
    UnorderedAccess found = found();
    assertThat(found.memory().kind()).isEqualTo(ResourceKind.DEVICE_BUFFER);
    assertThat(found.memory().size()).isEqualTo(64);
    assertThat(Objects.requireNonNull(found.memory().creationSite()).getStackTrace())
        .anyMatch(frame -> frame.getMethodName().equals("openStreams"));
    assertThat(found.remedy())
        .startsWith("No operation of stream 'left' precedes the second.")
        .contains("Record an event on stream 'left' behind the first use");
  }

  @Test
  void twoLaunchesInTheOrderOfAnEvent() {
    fill(a, 1, N).launch(left);
    order(left, right);
    fill(a, 2, N).launch(right);
    order(right, left);
    increment(a).launch(left);
    assertNothingFound();
  }

  @Test
  void twoLaunchesOnOneStream() {
    fill(a, 1, N).launch(left);
    increment(a).launch(left);
    assertNothingFound();
  }

  @Test
  void twoReaders() {
    left.fill32(a, 0, N, 1);
    left.synchronize();
    try (PinnedBuffer one = device.allocatePinned("one", 64);
        PinnedBuffer other = device.allocatePinned("other", 64)) {
      left.copyToHost(a, 0, one, 0, 64);
      right.copyToHost(a, 0, other, 0, 64);
    }
    assertNothingFound();
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void aCopyAndALaunch() {
    left.copy(a, 0, b, 0, 64);
    fill(a, 1, N).launch(right);
    assertFound(
        READ_WRITE,
        "a",
        "Stream.copy on stream 'left', argument 1, read of bytes 0 to 64",
        "kernel fill on stream 'right', argument 0, write of bytes 0 to 64");
  }

  @Test
  void aCopyBehindAnEventOfTheLaunch() {
    left.copy(a, 0, b, 0, 64);
    try (Event copied = device.createEvent("copied")) {
      left.record(copied);
      right.waitFor(copied);
      fill(a, 1, N).launch(right);
    }
    assertNothingFound();
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void halvesOfABuffer() {
    left.fill32(a, 0, N / 2, 1);
    right.fill32(a, 32, N / 2, 2);
    assertNothingFound();
    left.fill32(a, 32, 1, 3);
    assertFound(
        WRITE_WRITE,
        "a",
        "Stream.fill32 on stream 'right', argument 0, write of bytes 32 to 64",
        "Stream.fill32 on stream 'left', argument 0, write of bytes 32 to 36");
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void anArgumentThatSaysHowMuchItUses() {
    Kernel fill = module.kernel("fill");
    KernelArg value = KernelArg.i32(1);
    KernelArg count = KernelArg.i32(N / 2);
    LaunchConfig config = LaunchConfig.covering(N, 64);
    fill.prepare(config, KernelArg.write(a, 0, 32), value, count).launch(left);
    fill.prepare(config, KernelArg.write(a, 32, 32), value, count).launch(right);
    assertNothingFound();
    fill.prepare(config, KernelArg.write(a, 0), value, count).launch(stream);
    assertThat(found().first().describe())
        .isEqualTo("kernel fill on stream 'left', argument 0, write of bytes 0 to 32");
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void columnsOfOnePitch() {
    left.fill2D32(PitchedMemory.of(a, 0, 16), 2, 4, 1);
    right.fill2D32(PitchedMemory.of(a, 8, 16), 2, 4, 2);
    assertNothingFound();
    stream.fill32(a, 40, 2, 3);
    assertThat(found().first().describe())
        .isEqualTo("Stream.fill2D32 on stream 'right', argument 0, write of bytes 8 to 64");
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void slicesOfABox() {
    try (DeviceBuffer box = device.allocate("box", 96)) {
      // Slices of three rows, of which the copy leaves the last alone.
      left.copy3D(PitchedMemory.of(a, 0, 16, 2), PitchedMemory.of(box, 0, 16, 3), 16, 2, 2);
      right.fill32(box, 32, 4, 1);
      right.fill32(box, 80, 4, 1);
      assertNothingFound();
      right.fill32(box, 60, 1, 1);
      assertThat(found().first().operation()).isEqualTo("Stream.copy3D");
    }
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void pinnedMemoryThatIsUsedAgain() {
    try (PinnedBuffer slot = device.allocatePinned("slot", 64)) {
      left.copyToDevice(slot, 0, a, 0, 64);
      right.copyToHost(b, 0, slot, 0, 64);
      assertFound(
          READ_WRITE,
          "slot",
          "Stream.copyToDevice on stream 'left', argument 1, read of bytes 0 to 64",
          "Stream.copyToHost on stream 'right', argument 0, write of bytes 0 to 64");
    }
  }

  @Test
  void pinnedMemoryThatIsUsedAgainInOrder() {
    try (PinnedBuffer slot = device.allocatePinned("slot", 64)) {
      left.copyToDevice(slot, 0, a, 0, 64);
      order(left, right);
      right.copyToHost(b, 0, slot, 0, 64);
    }
    assertNothingFound();
  }

  @Test
  @PlantedMistake(kind = ReportKind.USE_BEFORE_ALLOCATION, why = FOUND)
  void memoryOfAnotherStreamBeforeItIsThere() {
    try (DeviceBuffer ordered = left.allocate("ordered", 64)) {
      right.fill32(ordered, 0, N, 1);
      assertFound(
          WRITE_WRITE,
          "ordered",
          "Stream.allocate on stream 'left', argument 0, write of bytes 0 to 64",
          "Stream.fill32 on stream 'right', argument 0, write of bytes 0 to 64");
    }
  }

  @Test
  void aFreeComesBehindTheUsesOnAllStreams() {
    try (Gate gate = new Gate(right)) {
      DeviceBuffer ordered = left.allocate("ordered", 64);
      order(left, right);
      right.fill32(ordered, 0, N, 1);
      // The runtime waits with the free, so that closing needs no order.
      ordered.close();
      gate.letGoAndWait(right);
    }
    assertNothingFound();
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void anEventThatIsRecordedTooEarly() {
    try (Event early = device.createEvent("early")) {
      left.fill32(b, 0, N, 1);
      left.record(early);
      left.fill32(a, 0, N, 1);
      right.waitFor(early);
      right.copy(a, 0, b, 0, 64);
      assertFound(
          WRITE_READ,
          "a",
          "Stream.fill32 on stream 'left', argument 0, write of bytes 0 to 64",
          "Stream.copy on stream 'right', argument 1, read of bytes 0 to 64");
      assertThat(found().remedy())
          .startsWith(
              "Stream 'right' is behind operation 1 of stream 'left', and the first use is operation 2 of it");
    }
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void anotherEventIsWaitedFor() {
    try (Event meant = device.createEvent("meant");
        Event other = device.createEvent("other")) {
      left.fill32(a, 0, N, 1);
      left.record(meant);
      stream.record(other);
      right.waitFor(other);
      increment(a).launch(right);
      assertThat(found().first().operation()).isEqualTo("Stream.fill32");
      listener.unordered.clear();
      right.waitFor(meant);
      order(stream, right);
      increment(b).launch(right);
    }
    assertNothingFound();
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void anEventThatIsRecordedAgain() {
    try (Event event = device.createEvent("event")) {
      left.fill32(a, 0, N, 1);
      left.record(event);
      stream.record(event);
      right.waitFor(event);
      right.fill32(a, 0, N, 1);
      assertThat(found().second().stream()).isEqualTo("right");
    }
  }

  @Test
  void anEventThatIsRecordedAgainBehindTheWait() {
    try (Event event = device.createEvent("event")) {
      left.fill32(a, 0, N, 1);
      left.record(event);
      right.waitFor(event);
      stream.record(event);
      right.fill32(a, 0, N, 1);
    }
    assertNothingFound();
  }

  @Test
  void anOrderByWayOfAThirdStream() {
    left.fill32(a, 0, N, 1);
    order(left, stream);
    order(stream, right);
    right.fill32(a, 0, N, 1);
    assertNothingFound();
  }

  @Test
  void waitsOfTheHost() {
    left.fill32(a, 0, N, 1);
    left.synchronize();
    right.fill32(a, 0, N, 2);
    device.synchronize();
    left.fill32(a, 0, N, 3);
    try (Event event = device.createTimingEvent("event");
        Event later = device.createTimingEvent("later")) {
      left.record(event);
      event.synchronize();
      right.fill32(a, 0, N, 4);
      right.record(later);
      Eventually.isTrue("the fill is done", later::isComplete);
      left.fill32(a, 0, N, 5);
    }
    Eventually.isTrue("the fill is done", left::isComplete);
    right.fill32(a, 0, N, 6);
    right.read(a, 0, new int[N]);
    left.fill32(a, 0, N, 7);
    assertNothingFound();
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void aWaitBeforeTheUseIsNoOrder() {
    left.synchronize();
    left.fill32(a, 0, N, 1);
    right.fill32(a, 0, N, 2);
    assertThat(found().first().stream()).isEqualTo("left");
  }

  @Test
  void aWaitOfAnotherThreadThatHandsTheWorkOn() throws InterruptedException {
    left.fill32(a, 0, N, 1);
    Thread waiter = Thread.ofVirtual().start(left::synchronize);
    waiter.join();
    right.fill32(a, 0, N, 2);
    assertNothingFound();
  }

  @Test
  void aHostFunctionThatTellsAThread() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    left.fill32(a, 0, N, 1);
    left.launchHost(done::countDown);
    done.await();
    right.fill32(a, 0, N, 2);
    assertNothingFound();
  }

  @Test
  void anOperationThatTheDriverRefusesDoesNotCount() {
    PreparedLaunch tooLarge =
        module
            .kernel("fill")
            .prepare(
                new LaunchConfig(1, 1 << 20, 1, 64, 1, 1, 0),
                KernelArg.write(a),
                KernelArg.i32(1),
                KernelArg.i32(N));
    assertThatThrownBy(() -> tooLarge.launch(left)).isInstanceOf(CudaException.class);
    fill(a, 2, N).launch(right);
    assertNothingFound();
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void aPairOfPlacesIsReportedOnce() {
    for (int i = 0; i < 3; i++) {
      left.fill32(a, 0, N, 1);
      right.fill32(a, 0, N, 2);
      device.synchronize();
    }
    assertThat(listener.unordered).hasSize(1);
    left.fill32(a, 0, N, 1);
    right.fill32(a, 0, N, 2);
    assertThat(listener.unordered).hasSize(2);
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void workThatTheRuntimeCannotSee() {
    PreparedLaunch hidden =
        module
            .kernel("fill")
            .prepare(
                LaunchConfig.covering(N, 64),
                KernelArg.i64(a.address()),
                KernelArg.i32(1),
                KernelArg.i32(N));
    hidden.launch(left);
    hidden.launch(right);
    assertNothingFound();
    left.declare("hidden fill", () -> hidden.launch(left), KernelArg.write(a, 0, 64));
    right.declare("hidden fill", () -> hidden.launch(right), KernelArg.write(a));
    assertFound(
        WRITE_WRITE,
        "a",
        "hidden fill on stream 'left', argument 0, write of bytes 0 to 64",
        "hidden fill on stream 'right', argument 0, write of bytes 0 to 64");
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void registrationsOfOneMemoryAreOneMemory() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(64, 4096);
      try (RegisteredMemory one = device.register("one", memory);
          RegisteredMemory other = device.register("other", memory)) {
        left.copyToHost(a, 0, one, 0, 64);
        right.copyToHost(b, 0, other, 0, 64);
        assertThat(found().kind()).isEqualTo(WRITE_WRITE);
        device.synchronize();
      }
    }
  }
}
