package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Copies and fills of rows and slices. */
final class PitchedCopyTest extends GpuTest {

  private byte[] bytes(DeviceBuffer buffer) {
    byte[] bytes = new byte[Math.toIntExact(buffer.size())];
    stream.read(buffer, 0, MemorySegment.ofArray(bytes));
    return bytes;
  }

  @Test
  void boxesOfAnyShapeMatchAPlainLoop() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int size = 4096;
    try (DeviceBuffer a = device.allocate("a", size);
        DeviceBuffer b = device.allocate("b", size);
        PinnedBuffer pinned = device.allocatePinned("pinned", size)) {
      byte[] from = new byte[size];
      random.nextBytes(from);
      stream.write(MemorySegment.ofArray(from), a, 0);
      MemorySegment.copy(from, 0, pinned.segment(), JAVA_BYTE, 0, size);
      for (int round = 0; round < 40; round++) {
        int width = 1 + random.nextInt(12);
        int rows = 1 + random.nextInt(6);
        int slices = round % 2 == 0 ? 1 : 1 + random.nextInt(4);
        int[] pitch = {width + random.nextInt(9), width + random.nextInt(9)};
        int[] sliceRows = {rows + random.nextInt(3), rows + random.nextInt(3)};
        int[] start = {random.nextInt(64), random.nextInt(64)};
        stream.fill8(b, 0, size, (byte) 0);
        boolean fromHost = random.nextBoolean();
        PitchedMemory source =
            fromHost
                ? PitchedMemory.of(pinned, start[0], pitch[0], sliceRows[0])
                : PitchedMemory.of(a, start[0], pitch[0], sliceRows[0]);
        PitchedMemory target = PitchedMemory.of(b, start[1], pitch[1], sliceRows[1]);
        if (slices == 1) {
          stream.copy2D(source, target, width, rows);
        } else {
          stream.copy3D(source, target, width, rows, slices);
        }
        byte[] expected = new byte[size];
        for (int z = 0; z < slices; z++) {
          for (int y = 0; y < rows; y++) {
            System.arraycopy(
                from,
                start[0] + (z * sliceRows[0] + y) * pitch[0],
                expected,
                start[1] + (z * sliceRows[1] + y) * pitch[1],
                width);
          }
        }
        assertThat(bytes(b)).as("seed %d round %d", seed, round).isEqualTo(expected);
      }
    }
  }

  @Test
  void rowsGoBackToTheHost() {
    try (PinnedBuffer pinned = device.allocatePinned("pinned", 32)) {
      DeviceBuffer buffer = ints("buffer", 1, 2, 3, 4, 5, 6);
      pinned.segment().fill((byte) 0);
      stream.copy2D(PitchedMemory.of(buffer, 4, 8), PitchedMemory.of(pinned, 0, 12), 4, 3);
      stream.synchronize();
      assertThat(pinned.segment().toArray(java.lang.foreign.ValueLayout.JAVA_INT))
          .containsExactly(2, 0, 0, 4, 0, 0, 6, 0);
      buffer.close();
    }
  }

  @Test
  void aCapturedBoxIsCopiedByEachReplay() {
    DeviceBuffer source = ints("source", 1, 2, 3, 4);
    DeviceBuffer target = ints("target", 0, 0, 0, 0);
    try (Graph graph =
            stream.capture(capture -> {
              stream.copy2D(PitchedMemory.of(source, 0, 8), PitchedMemory.of(target, 4, 8), 4, 2);
              stream.fill2D16(PitchedMemory.of(target, 0, 8), 2, 2, (short) -1);
            });
        GraphExec exec = graph.instantiate()) {
      assertThat(graph.nodeCount()).isEqualTo(2);
      assertThat(graph.pointers())
          .extracting(CapturedPointer::operation)
          .containsExactly("Stream.copy2D", "Stream.copy2D", "Stream.fill2D16");
      exec.replay(stream);
      assertThat(read(target)).containsExactly(-1, 1, -1, 3);
      stream.write(new int[] {7}, source, 8);
      exec.replay(stream);
      assertThat(read(target)).containsExactly(-1, 1, -1, 7);
      source.close();
      assertThatThrownBy(() -> exec.replay(stream)).isInstanceOf(StaleGraphException.class);
    }
    target.close();
  }

  @Test
  void rowsAreFilledWithElementsOfEachSize() {
    DeviceBuffer buffer = ints("buffer", 0, 0, 0, 0, 0, 0);
    stream.fill2D32(PitchedMemory.of(buffer, 4, 8), 1, 3, 0x01020304);
    assertThat(read(buffer)).containsExactly(0, 0x01020304, 0, 0x01020304, 0, 0x01020304);
    stream.fill2D16(PitchedMemory.of(buffer, 2, 8), 1, 2, (short) 0x7fff);
    stream.fill2D8(PitchedMemory.of(buffer, 0, 12), 2, 2, (byte) 0x11);
    stream.fill16(buffer, 16, 2, (short) 5);
    assertThat(read(buffer))
        .containsExactly(0x7fff1111, 0x01020304, 0x7fff0000, 0x01021111, 0x00050005, 0x01020304);
    assertThatThrownBy(() -> stream.fill16(buffer, 1, 1, (short) 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not a multiple of 2");
    assertThatThrownBy(() -> stream.fill2D32(PitchedMemory.of(buffer, 0, 6), 1, 2, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("pitch of 6");
    stream.fill2D32(PitchedMemory.of(buffer, 0, 8), 0, 3, 9);
    assertThat(read(buffer)[0]).isEqualTo(0x7fff1111);
    buffer.close();
  }

  @Test
  void boxesThatDoNotFitAreRefusedByName() {
    try (DeviceBuffer a = device.allocate("a", 64);
        DeviceBuffer b = device.allocate("b", 32)) {
      assertThatThrownBy(
              () -> stream.copy2D(PitchedMemory.of(a, 0, 8), PitchedMemory.of(b, 1, 8), 8, 4))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("Stream.copy2D: bytes 1 to 33 are outside DeviceBuffer 'b'");
      assertThatThrownBy(
              () -> stream.copy2D(PitchedMemory.of(a, 0, 4), PitchedMemory.of(b, 0, 8), 8, 4))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("rows of 8 bytes do not fit into a pitch of 4 in buffer 'a'");
      assertThatThrownBy(() ->
              stream.copy3D(PitchedMemory.of(a, 0, 4, 1), PitchedMemory.of(b, 0, 4, 2), 4, 2, 2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("slices of 2 rows do not fit into 1 rows in buffer 'a'");
      assertThatThrownBy(() ->
              stream.copy3D(
                  PitchedMemory.of(a, 0, Long.MAX_VALUE, 4), PitchedMemory.of(b, 0, 4, 2), 4, 2, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> PitchedMemory.of(a, 0, 0))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(
              () -> stream.copy2D(PitchedMemory.of(a, 0, 8), PitchedMemory.of(b, 0, 8), -1, 4))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void overlapIsRefusedAndOtherColumnsAreNoOverlap() {
    DeviceBuffer a = ints("a", 1, 2, 3, 4, 5, 6, 7, 8);
    assertThatThrownBy(() -> stream.copy(a, 0, a, 4, 8))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("overlap");
    stream.copy(a, 0, a, 4, 4);
    assertThatThrownBy(
            () -> stream.copy2D(PitchedMemory.of(a, 0, 16), PitchedMemory.of(a, 4, 16), 8, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("overlap");
    stream.copy2D(PitchedMemory.of(a, 0, 16), PitchedMemory.of(a, 8, 16), 8, 2);
    assertThat(read(a)).containsExactly(1, 1, 1, 1, 5, 6, 5, 6);
    a.close();
  }

  @Test
  void arraysOfEachTypeGoThereAndBack() {
    try (DeviceBuffer buffer = device.allocate("buffer", 64)) {
      long[] longs = {1L << 40, -2};
      float[] floats = {1.5f, Float.NaN};
      double[] doubles = {Math.PI, -0.0};
      int[] ints = {3, -4};
      stream.write(longs, buffer, 0);
      stream.write(doubles, buffer, 16);
      stream.write(floats, buffer, 32);
      stream.write(ints, buffer, 40);
      long[] longsBack = new long[2];
      double[] doublesBack = new double[2];
      float[] floatsBack = new float[2];
      int[] intsBack = new int[2];
      stream.read(buffer, 0, longsBack);
      stream.read(buffer, 16, doublesBack);
      stream.read(buffer, 32, floatsBack);
      stream.read(buffer, 40, intsBack);
      assertThat(longsBack).isEqualTo(longs);
      assertThat(doublesBack).isEqualTo(doubles);
      assertThat(floatsBack).isEqualTo(floats);
      assertThat(intsBack).isEqualTo(ints);
    }
  }
}
