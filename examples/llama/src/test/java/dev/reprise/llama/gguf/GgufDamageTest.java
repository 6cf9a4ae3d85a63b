package dev.reprise.llama.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class GgufDamageTest {
  private static final long SEED = 20_250_101;
  private static final int MUTATIONS = 20_000;

  @Test
  void theSampleIsSoundAsItIs() {
    GgufSamples.readAll(GgufSamples.small());
  }

  @Test
  void everyCutOfAFileIsAGgufException() {
    byte[] whole = GgufSamples.small();
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> GgufSamples.readAll(cut))
          .as("the first %d of %d bytes", length, whole.length)
          .isInstanceOf(GgufException.class)
          .hasMessageStartingWith("test.gguf: at byte ")
          .hasMessageContaining(": expected ")
          .hasMessageContaining(", found ");
    }
  }

  @Test
  void damagedBytesGiveAGgufExceptionOrASoundFile() {
    byte[] whole = GgufSamples.small();
    SplittableRandom random = new SplittableRandom(SEED);
    int refused = 0;
    for (int i = 0; i < MUTATIONS; i++) {
      byte[] damaged = whole.clone();
      int count = 1 + random.nextInt(4);
      for (int k = 0; k < count; k++) {
        damaged[random.nextInt(damaged.length)] = interesting(random);
      }
      if (refused(damaged, "seed " + SEED + ", mutation " + i)) {
        refused++;
      }
    }
    assertThat(refused).as("refused of %d", MUTATIONS).isBetween(MUTATIONS / 4, MUTATIONS - 1);
  }

  @Test
  void damagedWordsGiveAGgufExceptionOrASoundFile() {
    byte[] whole = GgufSamples.small();
    SplittableRandom random = new SplittableRandom(SEED);
    long[] words = {
      -1, Long.MIN_VALUE, Long.MAX_VALUE, 0, 1L << 32, 1L << 31, whole.length, 1L << 60
    };
    for (int at = 0; at + 8 <= whole.length; at++) {
      for (long word : words) {
        byte[] damaged = whole.clone();
        long value = word + random.nextInt(-2, 3);
        for (int b = 0; b < 8; b++) {
          damaged[at + b] = (byte) (value >>> 8 * b);
        }
        refused(damaged, "word " + Long.toHexString(value) + " at " + at);
      }
    }
  }

  private static byte interesting(SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0 -> 0;
      case 1 -> (byte) 0xff;
      case 2 -> (byte) 0x80;
      case 3 -> (byte) random.nextInt(16);
      default -> (byte) random.nextInt(256);
    };
  }

  private static boolean refused(byte[] file, String what) {
    try {
      GgufSamples.readAll(file);
      return false;
    } catch (GgufException e) {
      return true;
    } catch (RuntimeException | Error e) {
      throw new AssertionError(what, e);
    }
  }
}
