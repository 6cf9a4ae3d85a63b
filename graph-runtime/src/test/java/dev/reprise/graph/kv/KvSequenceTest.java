package dev.reprise.graph.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class KvSequenceTest {

  private final KvLayout layout = new KvLayout(2, 1, 32, 16);
  private final KvBlocks blocks = new KvBlocks(layout, 5, BlockMemory.NONE);
  private final KvBlockAllocator allocator = blocks.allocator();
  private final KvSequence sequence = blocks.newSequence("request 7");

  @Test
  void aBlockIsTakenOnlyAtABoundary() {
    for (int position = 0; position < 64; position++) {
      assertThat(sequence.reserve(position))
          .as("position %d", position)
          .isEqualTo(position % 16 == 0);
      assertThat(sequence.blockCount()).isEqualTo(position / 16 + 1);
    }
  }

  @Test
  void exhaustionLeavesTheSequenceUsableAndClosable() {
    assertThatThrownBy(() -> sequence.reserve(1000)).isInstanceOf(KvExhaustedException.class);
    assertThat(sequence.blockCount()).isEqualTo(4);
    sequence.check();
    sequence.close();
    assertThat(allocator.freeBlocks()).isEqualTo(4);
  }

  @Test
  void aBlockFreedBehindItsBackIsFound() {
    sequence.reserve(20);
    allocator.release(sequence.block(1));
    assertThatThrownBy(sequence::check)
        .isInstanceOf(FreedBlockException.class)
        .hasMessageStartingWith("request 7: KV block " + KvBlockAllocator.id(sequence.block(1)));
  }

  @Test
  void closingTwiceGivesBlocksBackOnceAndUseAfterCloseIsRefused() {
    sequence.reserve(20);
    sequence.close();
    sequence.close();
    assertThat(allocator.freeBlocks()).isEqualTo(4);
    assertThatThrownBy(() -> sequence.reserve(0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aLayoutRefusesABlockSizeThatIsNoPowerOfTwo() {
    assertThatThrownBy(() -> new KvLayout(1, 1, 32, 12)).hasMessageContaining("power of two");
    assertThat(layout.blockBytesAllLayers()).isEqualTo(2L * 2 * 16 * 32 * 4);
  }
}
