package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.kernels.check.Inputs;
import dev.reprise.kernels.check.PagedPool;
import dev.reprise.kernels.contract.StatusBit;
import dev.reprise.kernels.reference.AttentionReference;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(GpuExtension.class)
class AttentionTest {

  private static final int GARBAGE = 0x7f7f7f7f;

  @ParameterizedTest
  @CsvSource({
    // headDim, heads, kvHeads, blockSize
    "32,4,2,16",
    "32,3,3,16",
    "64,2,1,16",
    "128,2,2,16",
    "32,2,1,32",
    "32,2,2,64",
    "64,8,2,128"
  })
  void matchesTheReferenceAtEveryTileBoundary(
      int headDim, int heads, int kvHeads, int blockSize, Gpu gpu) {
    Random random = Gpu.random();
    // one position, half tiles, whole tiles, one after, more tiles than warps
    int[] lengths = {1, 2, 15, 16, 17, 31, 32, 33, 48, 64, 130, 161};
    PagedPool paged = new PagedPool(random, kvHeads, blockSize, headDim, lengths);
    int rows = lengths.length;
    float[] q = Inputs.uniform(random, rows * heads * headDim, -2, 2);
    int[] positions = new int[rows];
    int[] sequences = new int[rows];
    for (int row = 0; row < rows; row++) {
      positions[row] = lengths[row] - 1;
      sequences[row] = row;
    }
    Span status = gpu.status();
    float[] out =
        run(gpu, paged, q, positions, sequences, heads, paged.mostBlocks() + 1, GARBAGE, status);
    for (int row = 0; row < rows; row++) {
      Close.assertClose(
          Arrays.copyOfRange(out, row * heads * headDim, (row + 1) * heads * headDim),
          expected(paged, q, row, row, positions[row], heads),
          1e-5,
          1e-5);
    }
    assertThat(gpu.status(status)).isEmpty();
  }

  @Test
  void aRowSeesNothingAfterItsPosition(Gpu gpu) {
    // positions 0..last are numbers and everything later in the block is NaN, the table garbage
    for (int length : new int[] {1, 5, 16, 20, 40}) {
      PagedPool paged = new PagedPool(Gpu.random(), 1, 16, 32, length);
      float[] q = Inputs.uniform(Gpu.random(), 32, -1, 1);
      float[] out =
          run(
              gpu,
              paged,
              q,
              new int[] {length - 1},
              new int[] {0},
              1,
              paged.mostBlocks() + 3,
              GARBAGE,
              gpu.status());
      Close.assertClose(out, expected(paged, q, 0, 0, length - 1, 1), 1e-5, 1e-5);
    }
  }

  @Test
  void anEarlierRowOfTheSameSequenceSeesLess(Gpu gpu) {
    Random random = Gpu.random();
    PagedPool paged = new PagedPool(random, 2, 16, 32, 70);
    int[] positions = {69, 3, 40, 0};
    float[] q = Inputs.uniform(random, positions.length * 4 * 32, -1, 1);
    float[] out = run(gpu, paged, q, positions, new int[4], 4, paged.mostBlocks(), 0, gpu.status());
    for (int row = 0; row < positions.length; row++) {
      Close.assertClose(
          Arrays.copyOfRange(out, row * 128, (row + 1) * 128),
          expected(paged, q, row, 0, positions[row], 4),
          1e-5,
          1e-5);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {32, 64, 128})
  void aRowHasTheSameBitsInEveryBucket(int headDim, Gpu gpu) {
    Random random = Gpu.random();
    int heads = 2;
    int width = heads * headDim;
    PagedPool paged = new PagedPool(random, 1, 16, headDim, 150, 20);
    float[] query = Inputs.uniform(random, width, -1, 1);
    int[] alone =
        Close.bits(
            run(
                gpu,
                paged,
                query,
                new int[] {149},
                new int[] {0},
                heads,
                paged.mostBlocks(),
                0,
                gpu.status()));
    for (int maxBlocks : new int[] {paged.mostBlocks(), 16, 40}) {
      for (int rows : new int[] {2, 5}) {
        float[] q = new float[rows * width];
        Arrays.fill(q, Float.NaN);
        int[] positions = new int[rows];
        int[] sequences = new int[rows];
        Arrays.fill(positions, -1);
        Arrays.fill(sequences, GARBAGE);
        positions[0] = 19;
        sequences[0] = 1;
        int at = rows - 1;
        positions[at] = 149;
        sequences[at] = 0;
        System.arraycopy(query, 0, q, at * width, width);
        float[] out =
            run(gpu, paged, q, positions, sequences, heads, maxBlocks, GARBAGE, gpu.status());
        assertThat(Close.bits(out, at, width))
            .as("%d rows, %d blocks", rows, maxBlocks)
            .isEqualTo(alone);
      }
    }
  }

  @Test
  void paddingGivesZerosWhateverElseItHolds(Gpu gpu) {
    PagedPool paged = new PagedPool(Gpu.random(), 1, 16, 32, 4);
    float[] q = new float[3 * 32];
    Arrays.fill(q, Float.NaN);
    int[] sequences = {GARBAGE, Integer.MIN_VALUE, 0};
    Span status = gpu.status();
    float[] out = run(gpu, paged, q, new int[] {-1, -1, -1}, sequences, 1, 1, GARBAGE, status);
    assertThat(out).containsOnly(0f);
    assertThat(gpu.status(status)).isEmpty();
  }

  @Test
  void largeScoresDoNotOverflow(Gpu gpu) {
    PagedPool paged = new PagedPool(Gpu.random(), 1, 16, 32, 45);
    float[] q = Inputs.uniform(Gpu.random(), 32, -1, 1);
    for (int d = 0; d < 32; d++) {
      q[d] *= 1000;
    }
    float[] out = run(gpu, paged, q, new int[] {44}, new int[] {0}, 1, 3, 0, gpu.status());
    Close.assertClose(out, expected(paged, q, 0, 0, 44, 1), 2e-3, 2e-3);
  }

  @ParameterizedTest
  @CsvSource({
    "0,BLOCK_OUT_OF_POOL",
    "-5,BLOCK_OUT_OF_POOL",
    "2147483647,BLOCK_OUT_OF_POOL",
  })
  void aBrokenBlockTableGivesNaNAndIsReported(int entry, StatusBit bit, Gpu gpu) {
    PagedPool paged = new PagedPool(Gpu.random(), 1, 16, 32, 40, 10);
    paged.tables()[0][1] = entry;
    float[] q = Inputs.uniform(Gpu.random(), 64, -1, 1);
    Span status = gpu.status();
    float[] out = run(gpu, paged, q, new int[] {39, 9}, new int[] {0, 1}, 1, 3, 0, status);
    for (int d = 0; d < 32; d++) {
      assertThat(out[d]).isNaN();
      assertThat(out[32 + d]).isNotNaN();
    }
    assertThat(gpu.status(status)).containsExactly(bit);
  }

  @ParameterizedTest
  @CsvSource({
    "48,0,POSITION_BEYOND_TABLE",
    "2147483647,0,POSITION_BEYOND_TABLE",
    "3,1,SEQUENCE_OUT_OF_RANGE",
    "3,-1,SEQUENCE_OUT_OF_RANGE"
  })
  void aRowWithoutATableEntryIsNaNAndReported(int position, int sequence, StatusBit bit, Gpu gpu) {
    PagedPool paged = new PagedPool(Gpu.random(), 1, 16, 32, 48);
    float[] q = Inputs.uniform(Gpu.random(), 32, -1, 1);
    Span status = gpu.status();
    float[] out = run(gpu, paged, q, new int[] {position}, new int[] {sequence}, 1, 3, 0, status);
    for (float value : out) {
      assertThat(value).isNaN();
    }
    assertThat(gpu.status(status)).containsExactly(bit);
  }

  private static float[] run(
      Gpu gpu,
      PagedPool paged,
      float[] q,
      int[] positions,
      int[] sequences,
      int heads,
      int maxBlocks,
      int unused,
      Span status) {
    Span out = gpu.floatsOf(q.length);
    gpu.run(
        gpu.kernels()
            .attention()
            .paged(
                gpu.floats(q),
                paged.upload(gpu),
                gpu.ints(positions),
                gpu.ints(sequences),
                paged.tables(gpu, maxBlocks, unused),
                out,
                status,
                positions.length,
                heads,
                scale(paged)));
    return gpu.floats(out);
  }

  private static float scale(PagedPool paged) {
    return (float) (1 / Math.sqrt(paged.shape().headDim()));
  }

  private static double[] expected(
      PagedPool paged, float[] q, int row, int sequence, int last, int heads) {
    int headDim = paged.shape().headDim();
    double[] out = new double[heads * headDim];
    for (int head = 0; head < heads; head++) {
      int from = (row * heads + head) * headDim;
      double[] one =
          AttentionReference.attend(
              Arrays.copyOfRange(q, from, from + headDim),
              paged.keys(),
              paged.values(),
              paged.shape(),
              paged.tables()[sequence],
              last,
              head / (heads / paged.shape().kvHeads()),
              scale(paged));
      System.arraycopy(one, 0, out, head * headDim, headDim);
    }
    return out;
  }
}
