package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.UnorderedAccess;
import dev.reprise.softgpu.junit.PlantedMistake;
import dev.reprise.softgpu.sanitizer.ReportKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Buffers whose uses the runtime orders, beside plain ones, on a device that checks accesses. */
final class AutomaticOrderTest extends AccessTest {

  private DeviceBuffer auto;
  private DeviceBuffer other;

  @SuppressWarnings("NullAway.Init") // set before each test
  AutomaticOrderTest() {}

  @BeforeEach
  void allocate() {
    auto = automatic("auto");
    other = automatic("other");
    clear(auto);
    clear(other);
  }

  @AfterEach
  void close() {
    auto.close();
    other.close();
  }

  private DeviceBuffer automatic(String label) {
    return device.allocate(label, N * 4L, BufferOptions.STANDARD.withAutomaticOrder());
  }

  @Test
  void aReadOnAnotherStreamComesBehindTheWrite() {
    try (Gate gate = new Gate(left)) {
      fill(auto, 7, N).launch(left);
      right.copy(auto, 0, a, 0, N * 4L);
      assertThat(right.isComplete()).isFalse();
      gate.letGoAndWait(left);
    }
    int[] values = new int[N];
    right.read(a, 0, values);
    assertThat(values).containsOnly(7);
    assertNothingFound();
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void aPlainBufferIsReportedWhereThisOneIsNot() {
    fill(a, 7, N).launch(left);
    right.copy(a, 0, b, 0, N * 4L);
    assertFound(
        UnorderedAccess.Kind.WRITE_READ,
        "a",
        "kernel fill on stream 'left', argument 0, write of bytes 0 to 64",
        "Stream.copy on stream 'right', argument 1, read of bytes 0 to 64");
  }

  @Test
  void aWriteComesBehindTheReadsOfAllStreams() {
    stream.fill32(auto, 0, N, 1);
    stream.synchronize();
    try (Gate first = new Gate(left);
        Gate second = new Gate(right)) {
      left.copy(auto, 0, a, 0, N * 4L);
      right.copy(auto, 0, b, 0, N * 4L);
      stream.fill32(auto, 0, N, 2);
      first.letGoAndWait(left);
      assertThat(stream.isComplete()).isFalse();
      second.letGoAndWait(right);
    }
    int[] values = new int[N];
    stream.read(b, 0, values);
    assertThat(values).containsOnly(1);
    assertThat(read(auto)).containsOnly(2);
    assertNothingFound();
  }

  @Test
  void readsDoNotWaitForEachOther() {
    stream.fill32(auto, 0, N, 1);
    try (Gate gate = new Gate(left)) {
      left.copy(auto, 0, a, 0, N * 4L);
      right.copy(auto, 0, b, 0, N * 4L);
      right.synchronize();
      assertThat(left.isComplete()).isFalse();
      gate.letGoAndWait(left);
    }
    assertNothingFound();
  }

  @Test
  void aWriteComesBehindTheWriteBefore() {
    try (Gate gate = new Gate(left)) {
      left.fill32(auto, 0, N, 1);
      right.fill32(auto, 0, N, 2);
      assertThat(right.isComplete()).isFalse();
      gate.letGoAndWait(left);
    }
    assertThat(read(auto)).containsOnly(2);
    assertNothingFound();
  }

  @Test
  void everyWayToUseItIsOrdered() {
    List<java.util.function.Consumer<Stream>> uses =
        List.of(
            on -> increment(auto).launch(on),
            on -> on.fill2D32(PitchedMemory.of(auto, 0, 16), 2, 4, 1),
            on -> on.copy2D(PitchedMemory.of(auto, 0, 16), PitchedMemory.of(other, 0, 16), 8, 4),
            on -> on.copy(auto, 0, other, 0, 16),
            on -> on.copyPeer(other, 0, auto, 0, 16),
            on -> on.write(new int[N], auto, 0),
            on -> on.read(auto, 0, new int[N]),
            on -> on.declare("declared", () -> {}, KernelArg.readWrite(auto)));
    for (var first : uses) {
      for (var second : uses) {
        first.accept(left);
        second.accept(right);
      }
    }
    assertNothingFound();
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void aLaunchThatIsPointedElsewhereIsOrderedThere() {
    PreparedLaunch fill = fill(a, 3, N);
    fill.setBuffer(0, auto, 0);
    try (Gate gate = new Gate(left)) {
      fill.launch(left);
      right.copy(auto, 0, b, 0, N * 4L);
      assertThat(right.isComplete()).isFalse();
      gate.letGoAndWait(left);
    }
    // The flag of the gate is being freed, by a thread that waits for the whole device, which must
    // not
    // order what follows: nothing that it waits for may be left.
    right.synchronize();
    Settling.settle(device);
    fill.setBuffer(0, a, 0);
    fill.launch(left);
    increment(a).launch(right);
    assertThat(found().memory().label()).isEqualTo("a");
  }

  @Test
  void graphsRefuseIt() {
    String refused =
        "Buffer 'auto' has automatic order, so a graph cannot use it: events outside of a graph do"
            + " not order its nodes.";
    List<CaptureBody> bodies =
        List.of(
            capture -> fill(auto, 1, N).launch(stream),
            capture -> stream.copy(a, 0, auto, 0, 4),
            capture -> stream.fill32(auto, 0, 1, 1),
            capture -> stream.declare("declared", () -> {}, KernelArg.read(auto)),
            capture -> stream.copyPeer(a, 0, auto, 0, 4));
    for (CaptureBody body : bodies) {
      assertThatThrownBy(() -> stream.capture(body).close())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith(refused);
    }
    try (Graph graph = device.createGraph("graph")) {
      assertThatThrownBy(() -> graph.addKernel(fill(auto, 1, N)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith(refused);
      assertThatThrownBy(() -> graph.addFill(FillOperation.of32(auto, 0, 1, 1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith(refused);
      assertThat(graph.nodeCount()).isZero();
    }
    // The stream and the buffer can be used as before.
    increment(auto).launch(stream);
    increment(auto).launch(left);
    assertNothingFound();
  }

  @Test
  void whatADeclarationLeavesOutIsRefusedInside() {
    assertThatThrownBy(() ->
            stream.declare(
                "declared", () -> increment(other).launch(stream), KernelArg.readWrite(auto)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("Buffer 'other' has automatic order and is used inside");
    stream.declare(
        "declared",
        () -> increment(other).launch(stream),
        KernelArg.readWrite(auto),
        KernelArg.readWrite(other));
    increment(other).launch(left);
    assertNothingFound();
  }

  @Test
  void threadsOnStreamsOfTheirOwnLoseNoIncrement() throws Exception {
    stream.fill32(auto, 0, N, 0);
    stream.fill32(other, 0, N, 0);
    int threads = 4;
    int rounds = 50;
    List<Future<?>> all = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      for (int i = 0; i < threads; i++) {
        boolean swapped = i % 2 == 0;
        all.add(executor.submit(() -> incrementBoth(swapped, rounds)));
      }
    }
    for (Future<?> one : all) {
      one.get();
    }
    assertThat(read(auto)[0]).isEqualTo(threads * rounds);
    assertThat(read(other)[0]).isEqualTo(threads * rounds);
    assertNothingFound();
  }

  private void incrementBoth(boolean swapped, int rounds) {
    try (Stream own = device.createStream("own")) {
      PreparedLaunch first = increment(swapped ? other : auto);
      PreparedLaunch second = increment(swapped ? auto : other);
      KernelArg[] both = {
        KernelArg.readWrite(swapped ? other : auto), KernelArg.readWrite(swapped ? auto : other)
      };
      for (int i = 0; i < rounds; i++) {
        own.declare(
            "both",
            () -> {
              first.launch(own);
              second.launch(own);
            },
            both);
      }
    }
  }

  /** Random operations on random streams have the result that they have one after the other. */
  @Test
  void randomOperationsGiveTheResultOfTheirOrder() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    DeviceBuffer[] buffers = {auto, other, automatic("third")};
    int[] expected = new int[buffers.length];
    Stream[] streams = {stream, left, right};
    for (DeviceBuffer buffer : buffers) {
      stream.fill32(buffer, 0, N, 0);
    }
    for (int i = 0; i < 300; i++) {
      Stream on = streams[random.nextInt(streams.length)];
      int to = random.nextInt(buffers.length);
      int from = random.nextInt(buffers.length);
      switch (random.nextInt(3)) {
        case 0 -> {
          increment(buffers[to]).launch(on);
          expected[to]++;
        }
        case 1 -> {
          on.fill32(buffers[to], 0, N, i);
          expected[to] = i;
        }
        default -> {
          if (from != to) {
            on.copy(buffers[from], 0, buffers[to], 0, 4);
            expected[to] = expected[from];
          }
        }
      }
    }
    for (int i = 0; i < buffers.length; i++) {
      assertThat(read(buffers[i])[0]).as("buffer %d, seed %d", i, seed).isEqualTo(expected[i]);
    }
    buffers[2].close();
    assertNothingFound();
  }

  @Test
  void streamsOfTwoDevicesAreOrdered() {
    try (Device peer = Device.open(1, diagnostics().withListener(listener));
        Stream far = peer.createStream("far");
        DeviceBuffer there =
            peer.allocate("there", N * 4L, BufferOptions.STANDARD.withAutomaticOrder())) {
      far.fill32(there, 0, N, 5);
      try (Gate gate = new Gate(left)) {
        left.copyPeer(there, 0, auto, 0, N * 4L);
        far.fill32(there, 0, N, 6);
        right.copy(auto, 0, a, 0, N * 4L);
        assertThat(far.isComplete()).isFalse();
        assertThat(right.isComplete()).isFalse();
        gate.letGoAndWait(left);
      }
      int[] values = new int[N];
      right.read(a, 0, values);
      assertThat(values).containsOnly(5);
      far.read(there, 0, values);
      assertThat(values).containsOnly(6);
    }
    assertNothingFound();
  }
}
