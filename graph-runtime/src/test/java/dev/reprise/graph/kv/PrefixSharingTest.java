package dev.reprise.graph.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Sequences with the same beginning share its full blocks, and never see each other's writes. */
class PrefixSharingTest {

  private static final int SIZE = 4;
  private static final int BLOCKS = 13;
  private static final KvLayout LAYOUT = new KvLayout(1, 1, 32, SIZE);
  private static final String MODEL = "model a";

  private final ShadowMemory memory = new ShadowMemory(BLOCKS, SIZE);
  private final KvBlocks blocks = new KvBlocks(LAYOUT, BLOCKS, memory);

  private static int[] tokens(int... values) {
    return Arrays.copyOf(values, 64);
  }

  /** Computes a prompt and offers its blocks. */
  private KvSequence computed(String owner, int[] tokens, int length) {
    KvSequence sequence = blocks.newSequence(owner);
    int from = Math.min(sequence.adoptPrefix(MODEL, tokens, length), length - 1);
    sequence.reserve(from, length);
    memory.compute(sequence, tokens, from, length);
    sequence.filled(tokens, length);
    return sequence;
  }

  @Test
  void fullBlocksOfTheSameTokensAreShared() {
    int[] a = tokens(1, 2, 3, 4, 5, 6, 7, 8, 9);
    int[] b = tokens(1, 2, 3, 4, 5, 6, 7, 99, 9);
    KvSequence first = computed("first", a, 9);
    KvSequence second = computed("second", b, 9);
    assertThat(second.block(0)).isEqualTo(first.block(0));
    assertThat(second.block(1)).isNotEqualTo(first.block(1));
    assertThat(blocks.capacity() - blocks.available()).isEqualTo(5);
    assertThat(memory.firstWrong(first, a, 9)).isEqualTo(-1);
    assertThat(memory.firstWrong(second, b, 9)).isEqualTo(-1);
  }

  @Test
  void anotherNamespaceSharesNothing() {
    int[] a = tokens(1, 2, 3, 4, 5);
    computed("first", a, 5);
    assertThat(blocks.newSequence("second").adoptPrefix("model b", a, 5)).isZero();
    assertThat(blocks.newSequence("third").adoptPrefix(MODEL, a, 5)).isEqualTo(4);
  }

  @Test
  void aWholePromptThatIsCachedIsWrittenOnlyAfterACopy() {
    int[] a = tokens(1, 2, 3, 4, 5, 6, 7, 8);
    KvSequence first = computed("first", a, 8);
    KvSequence second = blocks.newSequence("second");
    assertThat(second.adoptPrefix(MODEL, a, 8)).isEqualTo(8);
    assertThat(second.missing(7, 8)).isEqualTo(1);
    assertThat(second.reserve(7)).isTrue();
    assertThat(second.block(0)).isEqualTo(first.block(0));
    assertThat(second.block(1)).isNotEqualTo(first.block(1));
    assertThat(memory.firstWrong(second, a, 8)).isEqualTo(-1);
    assertThat(blocks.copies()).isEqualTo(1);
    assertThat(second.reserve(7)).as("its own already").isFalse();
  }

  @Test
  void aForkIsCopiedByWhicheverIsWrittenFirst() {
    int[] a = tokens(1, 2, 3, 4, 5, 6);
    KvSequence first = computed("first", a, 6);
    KvSequence fork = first.fork("fork");
    int[] b = a.clone();
    b[6] = 77;
    fork.reserve(6);
    memory.compute(fork, b, 6, 7);
    a[6] = 66;
    first.reserve(6);
    memory.compute(first, a, 6, 7);
    assertThat(memory.firstWrong(first, a, 7)).isEqualTo(-1);
    assertThat(memory.firstWrong(fork, b, 7)).isEqualTo(-1);
    assertThat(blocks.copies()).isEqualTo(1);
  }

  @Test
  void blocksStayCachedAfterTheirSequenceUntilOthersNeedThem() {
    int[] a = tokens(1, 2, 3, 4, 5, 6, 7, 8, 9);
    computed("first", a, 9).close();
    assertThat(blocks.available()).isEqualTo(blocks.capacity());
    assertThat(blocks.cached()).isEqualTo(2);
    KvSequence second = computed("second", a, 9);
    assertThat(memory.firstWrong(second, a, 9)).isEqualTo(-1);
    second.close();
    KvSequence large = blocks.newSequence("large");
    large.reserve(0, blocks.capacity() * SIZE);
    assertThat(blocks.cached()).isZero();
    assertThatThrownBy(() -> blocks.newSequence("more").reserve(0))
        .isInstanceOf(KvExhaustedException.class);
  }

  @Test
  void theEndOfAPrefixIsGivenUpBeforeItsBeginning() {
    int[] a = tokens(1, 2, 3, 4, 5, 6, 7, 8, 9);
    computed("first", a, 9).close();
    blocks.newSequence("large").reserve(0, (blocks.capacity() - 1) * SIZE);
    assertThat(blocks.newSequence("second").adoptPrefix(MODEL, a, 9)).isEqualTo(4);
  }

  @Test
  void dropUnusedLeavesNothingCached() {
    computed("first", tokens(1, 2, 3, 4, 5, 6, 7, 8), 8).close();
    blocks.dropUnused();
    assertThat(blocks.cached()).isZero();
    assertThat(blocks.allocator().freeBlocks()).isEqualTo(blocks.capacity());
  }

  @Test
  void randomTrafficOverFewTokensNeverMixesUpContents() {
    long seed = new Random().nextLong();
    assertThat(traffic(new Random(seed), memory, blocks)).as("seed %d", seed).isNull();
    assertThat(blocks.copies()).as("seed %d: copies", seed).isPositive();
  }

  @Test
  void theTrafficCatchesACopyThatIsForgotten() {
    ShadowMemory forgetful =
        new ShadowMemory(BLOCKS, SIZE) {
          @Override
          public void copy(int from, int to) {}
        };
    assertThat(traffic(new Random(1), forgetful, new KvBlocks(LAYOUT, BLOCKS, forgetful)))
        .contains("wrong at position");
  }

  /** Sequences over two tokens come, grow, fork and go; the first mistake, or null. */
  private static @org.jspecify.annotations.Nullable String traffic(
      Random random, ShadowMemory memory, KvBlocks blocks) {
    record Live(KvSequence sequence, int[] tokens, int[] length) {}
    List<Live> live = new ArrayList<>();
    for (int round = 0; round < 3000; round++) {
      int what = random.nextInt(10);
      if (what < 3 && live.size() < 4) {
        int[] tokens = new int[64];
        Arrays.setAll(tokens, i -> random.nextInt(2));
        int length = 1 + random.nextInt(12);
        KvSequence sequence = blocks.newSequence("round " + round);
        int from = Math.min(sequence.adoptPrefix(MODEL, tokens, length), length - 1);
        if (sequence.missing(from, length) > blocks.available()) {
          sequence.close();
          continue;
        }
        sequence.reserve(from, length);
        memory.compute(sequence, tokens, from, length);
        sequence.filled(tokens, length);
        live.add(new Live(sequence, tokens, new int[] {length}));
      } else if (what < 8 && !live.isEmpty()) {
        Live one = live.get(random.nextInt(live.size()));
        int at = one.length[0];
        if (at < 40 && one.sequence.missing(at, at + 1) <= blocks.available()) {
          one.sequence.reserve(at);
          memory.compute(one.sequence, one.tokens, at, at + 1);
          one.sequence.filled(one.tokens, ++one.length[0]);
        }
      } else if (what == 8 && !live.isEmpty() && live.size() < 4) {
        Live one = live.get(random.nextInt(live.size()));
        int[] tokens = one.tokens.clone();
        for (int i = one.length[0]; i < tokens.length; i++) {
          tokens[i] = random.nextInt(2);
        }
        live.add(new Live(one.sequence.fork("fork"), tokens, one.length.clone()));
      } else if (!live.isEmpty()) {
        live.remove(random.nextInt(live.size())).sequence.close();
      }
      for (Live one : live) {
        one.sequence.check();
        int wrong = memory.firstWrong(one.sequence, one.tokens, one.length[0]);
        if (wrong >= 0) {
          return one.sequence.owner() + " is wrong at position " + wrong + " in round " + round;
        }
      }
    }
    live.forEach(one -> one.sequence.close());
    return blocks.available() == blocks.capacity() ? null : "blocks leaked";
  }
}
