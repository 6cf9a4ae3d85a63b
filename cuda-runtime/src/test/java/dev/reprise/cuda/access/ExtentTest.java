package dev.reprise.cuda.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ExtentTest {

  private static BitSet bytes(Extent extent) {
    BitSet bytes = new BitSet();
    for (long at = extent.from(); at < extent.to(); at++) {
      if (extent.pitch() == 0
          || Math.floorMod(at - extent.start(), extent.pitch()) < extent.width()) {
        bytes.set((int) at);
      }
    }
    return bytes;
  }

  private static Extent random(Random random) {
    long from = random.nextInt(20);
    if (random.nextBoolean()) {
      return Extent.of(from, random.nextInt(20));
    }
    long pitch = 1L + random.nextInt(8);
    return Extent.rows(from, pitch, 1 + random.nextLong(pitch), 1 + random.nextInt(5));
  }

  @Test
  void extentsAreSetsOfBytes() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      Extent one = random(random);
      Extent other = random(random);
      String what = "seed %d: %s and %s".formatted(seed, one, other);
      assertThat(one.overlaps(other)).as(what).isEqualTo(bytes(one).intersects(bytes(other)));
      BitSet left = bytes(one);
      left.andNot(bytes(other));
      if (one.contains(other)) {
        BitSet outside = bytes(other);
        outside.andNot(bytes(one));
        assertThat(outside.isEmpty()).as(what).isTrue();
      }
      BitSet kept = new BitSet();
      for (Extent part : one.minus(other)) {
        // A part can be compared like any other.
        assertThat(part.overlaps(other) && other.pitch() == 0).as(what).isFalse();
        kept.or(bytes(part));
      }
      BitSet lost = (BitSet) left.clone();
      lost.andNot(kept);
      assertThat(lost.isEmpty()).as(what).isTrue();
      kept.andNot(bytes(one));
      assertThat(kept.isEmpty()).as(what).isTrue();
    }
  }
}
