package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class CopyTest extends GpuTest {

  @Test
  void anySizeAtAnyOffsetMovesThoseBytesAndNoOthers() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int size = 4099;
    byte[] expected = new byte[size];
    try (DeviceBuffer a = device.allocate("a", size);
        DeviceBuffer b = device.allocate("b", size);
        PinnedBuffer pinned = device.allocatePinned("pinned", size);
        Arena arena = Arena.ofConfined()) {
      stream.fill8(a, 0, size, (byte) 0);
      for (int round = 0; round < 60; round++) {
        int bytes = random.nextInt(1 + random.nextInt(size));
        int from = random.nextInt(size - bytes + 1);
        int to = random.nextInt(size - bytes + 1);
        byte[] fresh = new byte[bytes];
        random.nextBytes(fresh);
        switch (random.nextInt(5)) {
          case 0 -> stream.write(MemorySegment.ofArray(fresh), a, to);
          case 1 -> {
            MemorySegment memory = arena.allocate(bytes + 1L).asSlice(1);
            MemorySegment.copy(fresh, 0, memory, JAVA_BYTE, 0, bytes);
            stream.write(memory, a, to);
          }
          case 2 -> {
            stream.synchronize();
            MemorySegment.copy(fresh, 0, pinned.segment(), JAVA_BYTE, from, bytes);
            stream.copyToDevice(pinned, from, a, to, bytes);
          }
          case 3 -> {
            stream.write(MemorySegment.ofArray(fresh), b, from);
            stream.copy(b, from, a, to, bytes);
          }
          default -> {
            byte value = (byte) random.nextInt();
            Arrays.fill(fresh, value);
            stream.fill8(a, to, bytes, value);
          }
        }
        System.arraycopy(fresh, 0, expected, to, bytes);
      }
      byte[] actual = new byte[size];
      stream.read(a, 0, MemorySegment.ofArray(actual));
      assertThat(actual).as("seed " + seed).isEqualTo(expected);

      stream.copyToHost(a, 3, pinned, 1, size - 4);
      stream.synchronize();
      assertThat(pinned.segment().asSlice(1, size - 4).toArray(JAVA_BYTE))
          .isEqualTo(Arrays.copyOfRange(expected, 3, size - 1));
      byte[] part = new byte[7];
      stream.read(a, 4092, MemorySegment.ofArray(part));
      assertThat(part).isEqualTo(Arrays.copyOfRange(expected, 4092, 4099));
    }
  }

  @Test
  void heapMemoryLargerThanTheStagingPieceGoesInPieces() {
    int size = (3 << 20) + 17;
    byte[] bytes = new byte[size];
    new Random(1).nextBytes(bytes);
    try (DeviceBuffer buffer = device.allocate("buffer", size)) {
      stream.write(MemorySegment.ofArray(bytes), buffer, 0);
      byte[] back = new byte[size];
      stream.read(buffer, 0, MemorySegment.ofArray(back));
      assertThat(Arrays.equals(bytes, back)).isTrue();
    }
  }

  @Test
  void wordsAreFilledAtWordOffsets() {
    DeviceBuffer buffer = ints("buffer", 1, 1, 1, 1);
    stream.fill32(buffer, 4, 2, 0xcafe);
    assertThat(read(buffer)).containsExactly(1, 0xcafe, 0xcafe, 1);
    assertThatThrownBy(() -> stream.fill32(buffer, 2, 1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not a multiple of 4");
    buffer.close();
  }

  @Test
  void rangesOutsideABufferAreRefusedByName() {
    byte[] bytes = new byte[8];
    try (DeviceBuffer a = device.allocate("a", 16);
        DeviceBuffer b = device.allocate("b", 8);
        PinnedBuffer pinned = device.allocatePinned("pinned", 8)) {
      assertThatThrownBy(() -> stream.copy(a, 0, b, 1, 8))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessage("Stream.copy: bytes 1 to 9 are outside DeviceBuffer 'b' of 8 bytes.");
      assertThatThrownBy(() -> stream.copyToDevice(pinned, 1, a, 0, 8))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("PinnedBuffer 'pinned'");
      assertThatThrownBy(() -> stream.copyToHost(a, -1, pinned, 0, 4))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> stream.copy(a, 0, b, 0, -1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> stream.copy(a, Long.MAX_VALUE, b, 0, 8))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> stream.write(MemorySegment.ofArray(bytes), a, 9))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> stream.read(a, 9, MemorySegment.ofArray(bytes)))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> stream.fill8(a, 15, 2, (byte) 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> stream.read(a, 0, MemorySegment.ofArray(bytes).asReadOnly()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("read-only");
    }
  }
}
