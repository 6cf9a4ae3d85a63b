package dev.reprise.graph.kv;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** A sequence that gets its next block, and offers the one that it filled, makes no objects. */
class BoundaryAllocationTest {

  private static final int SIZE = 16;
  private static final int WARM = 40;
  private static final int MEASURED = 100;
  private static final KvLayout LAYOUT = new KvLayout(1, 1, 32, SIZE);

  /** Bytes that some block boundaries take on the Java heap. */
  private static long allocated(int expectedBlocks) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    KvBlocks blocks = new KvBlocks(LAYOUT, 2 * (WARM + MEASURED), BlockMemory.NONE);
    int[] tokens = new int[SIZE * (WARM + MEASURED)];
    java.util.Arrays.setAll(tokens, i -> i % 7);
    KvSequence sequence = blocks.newSequence("a", expectedBlocks);
    sequence.adoptPrefix("model", tokens, 0);
    long before = 0;
    for (int block = 0; block < WARM + MEASURED; block++) {
      if (block == WARM) {
        before = threads.getCurrentThreadAllocatedBytes();
      }
      sequence.reserve(block * SIZE);
      sequence.filled(tokens, (block + 1) * SIZE);
    }
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(blocks.cached()).isEqualTo(WARM + MEASURED);
    return bytes;
  }

  @Test
  void noObjectIsMadeForABlock() {
    // The smallest object has 16 bytes.
    assertThat(allocated(WARM + MEASURED)).isLessThan(16 * MEASURED);
  }

  @Test
  void anArrayThatGrowsIsCaught() {
    assertThat(allocated(0)).isGreaterThanOrEqualTo(Long.BYTES * (WARM + MEASURED));
  }
}
