package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUoccupancyB2DSize;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Which blocks keep a multiprocessor busiest, and how much shared memory they may have. */
class OccupancyTest extends DriverTest {

  private int active(MemorySegment kernel, int threads, long shared) {
    return outInt(
        slot -> cuda_h.cuOccupancyMaxActiveBlocksPerMultiprocessor(slot, kernel, threads, shared));
  }

  private int[] best(MemorySegment kernel, MemorySegment sharedOfBlock, long shared, int limit) {
    MemorySegment block = arena().allocate(JAVA_INT);
    int grid =
        outInt(slot ->
            cuda_h.cuOccupancyMaxPotentialBlockSize(
                slot, block, kernel, sharedOfBlock, shared, limit));
    return new int[] {grid, block.get(JAVA_INT, 0)};
  }

  @Test
  void noOtherBlockKeepsMoreThreadsResident() {
    MemorySegment fill = kernel(probe(), "fill");
    int multiprocessors = outInt(slot -> cuda_h.cuDeviceGetAttribute(slot, 16, 0));
    for (long shared : new long[] {0, 20_000, 100_000}) {
      int[] best = best(fill, MemorySegment.NULL, shared, 0);
      int resident = active(fill, best[1], shared) * best[1];
      assertThat(best[0]).isEqualTo(active(fill, best[1], shared) * multiprocessors);
      for (int threads = 32; threads <= 1024; threads += 32) {
        assertThat(active(fill, threads, shared) * threads).isLessThanOrEqualTo(resident);
      }
    }
  }

  @Test
  void limitsOfKernelAndCallerHold() {
    MemorySegment module = probe();
    assertThat(best(kernel(module, "bounded"), MemorySegment.NULL, 0, 0)[1]).isEqualTo(64);
    assertThat(best(kernel(module, "fill"), MemorySegment.NULL, 0, 100)[1])
        .isLessThanOrEqualTo(100)
        .isPositive();
  }

  @Test
  void sharedMemoryMayDependOnTheBlock() {
    MemorySegment fill = kernel(probe(), "fill");
    // So much that larger blocks are alone on the multiprocessor.
    MemorySegment callback =
        CUoccupancyB2DSize.allocate(threads -> threads > 256 ? 200 << 10 : 0, arena());
    int[] best = best(fill, callback, 0, 0);
    assertThat(best[1]).isEqualTo(256);
  }

  @Test
  void theSharedMemoryThatIsLeftJustFits() {
    MemorySegment fill = kernel(probe(), "fill");
    for (int blocks : new int[] {1, 2, 7}) {
      long bytes =
          outLong(slot -> cuda_h.cuOccupancyAvailableDynamicSMemPerBlock(slot, fill, blocks, 128));
      assertThat(active(fill, 128, bytes)).isGreaterThanOrEqualTo(blocks);
      assertThat(active(fill, 128, bytes + 128)).isLessThan(blocks);
    }
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuOccupancyAvailableDynamicSMemPerBlock(arena().allocate(8), fill, 33, 1024));
  }
}
