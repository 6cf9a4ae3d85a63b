package dev.reprise.graph.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Blocks by a hash are those of a map of the JDK, where many hashes want one slot too. */
class HashIndexTest {

  private static final int BLOCKS = 40;

  @Test
  void randomTrafficOnFewSlotsIsThatOfAMap() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    HashIndex index = new HashIndex(BLOCKS);
    Map<Long, Integer> wanted = new HashMap<>();
    for (int round = 0; round < 20_000; round++) {
      // Slots are taken from the low bits: eight homes, the last slots and so the way around.
      long hash = hash(random.nextInt(12), 120 + random.nextInt(8));
      int block = 1 + random.nextInt(BLOCKS - 1);
      if (random.nextBoolean() && wanted.size() < BLOCKS) {
        if (wanted.putIfAbsent(hash, block) == null) {
          index.put(hash, block);
        }
      } else {
        wanted.remove(hash, block);
        index.remove(hash, block);
      }
      assertThat(index.size()).as("seed %d, round %d", seed, round).isEqualTo(wanted.size());
      for (int i = 0; i < 12; i++) {
        for (int home = 120; home < 128; home++) {
          long each = hash(i, home);
          if (index.get(each) != wanted.getOrDefault(each, 0)) {
            throw new AssertionError(
                "hash %x, seed %d, round %d: block %d instead of %d"
                    .formatted(each, seed, round, index.get(each), wanted.getOrDefault(each, 0)));
          }
        }
      }
    }
  }

  private static long hash(long high, int home) {
    return high << 20 | home;
  }

  @Test
  void aHashHasOneBlock() {
    HashIndex index = new HashIndex(BLOCKS);
    index.put(7, 3);
    assertThatThrownBy(() -> index.put(7, 4))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("block 3");
  }
}
