package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.check.Inputs;
import dev.reprise.kernels.check.PagedPool;
import dev.reprise.kernels.contract.StatusBit;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Attention whose segments several blocks share, against the one block that does them all. */
@ExtendWith(GpuExtension.class)
class SplitAttentionTest {

  private static final int GARBAGE = 0x7f7f7f7f;
  private static final int HEADS = 2;

  /** Rows of sequences in a pool; a row of padding first. */
  private static final class Rows {

    private final Gpu gpu;
    private final PagedPool paged;
    private final float[] q;
    private final int[] positions;
    private final int[] sequences;

    Rows(Gpu gpu, int headDim, int... lengths) {
      this.gpu = gpu;
      Random random = Gpu.random();
      paged = new PagedPool(random, 1, 16, headDim, lengths);
      q = Inputs.uniform(random, (lengths.length + 1) * HEADS * headDim, -2, 2);
      positions =
          IntStream.concat(IntStream.of(-1), Arrays.stream(lengths).map(n -> n - 1)).toArray();
      sequences =
          IntStream.concat(IntStream.of(GARBAGE), IntStream.range(0, lengths.length)).toArray();
    }

    private float scale() {
      return (float) (1 / Math.sqrt(paged.shape().headDim()));
    }

    int[] whole(Span status) {
      Span out = gpu.floatsOf(q.length);
      gpu.run(
          gpu.kernels()
              .attention()
              .paged(
                  gpu.floats(q),
                  paged.upload(gpu),
                  gpu.ints(positions),
                  gpu.ints(sequences),
                  paged.tables(gpu, paged.mostBlocks(), GARBAGE),
                  out,
                  status,
                  positions.length,
                  HEADS,
                  scale()));
      return Close.bits(gpu.floats(out));
    }

    float[] split(int context, int splits, Span status) {
      Span out = gpu.floatsOf(q.length);
      List<PreparedLaunch> launches =
          gpu.kernels()
              .attention()
              .split(
                  gpu.floats(q),
                  paged.upload(gpu),
                  gpu.ints(positions),
                  gpu.ints(sequences),
                  paged.tables(gpu, paged.mostBlocks(), GARBAGE),
                  gpu.allocate(
                      Attention.partialBytes(
                          positions.length, HEADS, paged.shape().headDim(), context)),
                  out,
                  status,
                  positions.length,
                  HEADS,
                  scale(),
                  context,
                  splits);
      gpu.run(launches.toArray(PreparedLaunch[]::new));
      return gpu.floats(out);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {32, 64, 128})
  void everyNumberOfSplitsGivesTheSameBitsAtEveryPosition(int headDim, Gpu gpu) {
    Rows rows = new Rows(gpu, headDim, 1, 40, 255, 256, 257, 512, 513, 800);
    Span status = gpu.status();
    int[] whole = rows.whole(status);
    // 1024: more segments than any row has.
    for (int context : new int[] {800, 1024}) {
      for (int splits = 1; splits <= Attention.segments(context); splits++) {
        assertThat(Close.bits(rows.split(context, splits, status)))
            .as("%d splits of context %d", splits, context)
            .isEqualTo(whole);
      }
    }
    assertThat(gpu.status(status)).isEmpty();
  }

  @Test
  void aRowBeyondTheContextOfTheLaunchIsNaNAndReportedAndTheOthersAreRight(Gpu gpu) {
    // Planted: prepared for a context of 512, run at position 600, as a replay of a graph that was
    // captured for a shorter context would.
    Rows rows = new Rows(gpu, 32, 601, 300, 512);
    Span status = gpu.status();
    int[] whole = rows.whole(status);
    assertThat(gpu.status(status)).isEmpty();
    float[] out = rows.split(512, 2, status);
    int width = HEADS * 32;
    for (int d = 0; d < width; d++) {
      assertThat(out[d]).as("padding").isZero();
      assertThat(out[width + d]).as("position 600").isNaN();
    }
    assertThat(Arrays.copyOfRange(Close.bits(out), 2 * width, 4 * width))
        .isEqualTo(Arrays.copyOfRange(whole, 2 * width, 4 * width));
    assertThat(gpu.status(status)).containsExactly(StatusBit.POSITION_BEYOND_BUCKET);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 20, 36})
  void aBrokenTableGivesNaNInWhicheverSegmentItIs(int entry, Gpu gpu) {
    Rows rows = new Rows(gpu, 32, 600, 300);
    rows.paged.tables()[0][entry] = 0;
    Span status = gpu.status();
    float[] out = rows.split(600, 3, status);
    int width = HEADS * 32;
    for (int d = 0; d < width; d++) {
      assertThat(out[width + d]).isNaN();
      assertThat(out[2 * width + d]).isNotNaN();
    }
    assertThat(gpu.status(status)).containsExactly(StatusBit.BLOCK_OUT_OF_POOL);
  }

  @Test
  void splitsWithoutASegmentAreRefused(Gpu gpu) {
    Rows rows = new Rows(gpu, 32, 300);
    assertThatThrownBy(() -> rows.split(300, 3, gpu.status()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("paged_attention_split_32")
        .hasMessageContaining("splits is at most segments")
        .hasMessageContaining("splits=3");
  }

  @ParameterizedTest
  @CsvSource({
    // multiprocessors, rows, heads, context, splits
    "132,1,32,8192,16", // 32 blocks where 264 are wanted
    "132,8,32,8192,2",
    "132,16,32,131072,1", // enough rows
    "132,1,32,512,2", // no more than segments
    "132,1,32,256,1",
    "2,1,2,4096,2"
  })
  void splitsFollowRowsAndContext(
      int multiprocessors, int rows, int heads, int context, int splits, Gpu gpu) {
    Attention attention = new Attention(gpu.kernels(), multiprocessors);
    TunableShape.Attention shape = new TunableShape.Attention(rows, heads, heads, 128, 16, context);
    assertThat(attention.standard(shape)).isEqualTo(new KernelVariant.Attention(splits));
    assertThat(attention.variants(shape))
        .startsWith(attention.standard(shape))
        .contains(new KernelVariant.Attention(1))
        .doesNotHaveDuplicates()
        .allSatisfy(v -> assertThat(v.splits()).isBetween(1, Attention.segments(context)));
  }
}
