package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.kernels.check.Inputs;
import dev.reprise.kernels.check.PagedPool;
import dev.reprise.kernels.contract.StatusBit;
import dev.reprise.kernels.reference.RotaryReference;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(GpuExtension.class)
class RotaryEmbeddingTest {

  private static final double THETA = 10_000;
  private static final int CONTEXT = 200;
  private static final int GARBAGE = 0x7f7f7f7f;

  /** What a launch left behind. */
  private record Result(float[] q, float[] keys, float[] values, Set<StatusBit> status) {}

  @ParameterizedTest
  @CsvSource({"4,2,32,16", "3,1,64,16", "2,2,128,32", "8,8,32,64"})
  void rotatesQueriesAndWritesKeysAndValuesToTheirSlots(
      int heads, int kvHeads, int headDim, int blockSize, Gpu gpu) {
    Random random = Gpu.random();
    PagedPool paged = new PagedPool(random, kvHeads, blockSize, headDim, 1, 16, 17, 33, 150, 64);
    int[] positions = {0, 15, 16, -1, 149, 31};
    int[] sequences = {0, 1, 2, GARBAGE, 4, 5};
    int width = (heads + 2 * kvHeads) * headDim;
    float[] qkv = Inputs.uniform(random, positions.length * width, -2, 2);
    Arrays.fill(qkv, 3 * width, 4 * width, Float.NaN);
    Result result = run(gpu, paged, qkv, positions, sequences, heads, paged.mostBlocks(), GARBAGE);

    float[] keys = paged.keys().clone();
    float[] values = paged.values().clone();
    for (int row = 0; row < positions.length; row++) {
      if (positions[row] < 0) {
        continue;
      }
      for (int head = 0; head < heads; head++) {
        double[] q = rotated(qkv, row * width + head * headDim, headDim, positions[row]);
        int at = (row * heads + head) * headDim;
        Close.assertClose(Arrays.copyOfRange(result.q, at, at + headDim), q, 1e-6, 1e-5);
      }
      for (int head = 0; head < kvHeads; head++) {
        int k = row * width + (heads + head) * headDim;
        int v = k + kvHeads * headDim;
        int slot = paged.shape().slot(paged.tables()[sequences[row]], positions[row], head);
        Close.assertClose(
            Arrays.copyOfRange(result.keys, slot, slot + headDim),
            rotated(qkv, k, headDim, positions[row]),
            1e-6,
            1e-5);
        System.arraycopy(result.keys, slot, keys, slot, headDim);
        System.arraycopy(qkv, v, values, slot, headDim);
      }
    }
    assertThat(Close.bits(result.keys)).as("no other slot").isEqualTo(Close.bits(keys));
    assertThat(Close.bits(result.values)).as("no other slot").isEqualTo(Close.bits(values));
    assertThat(Close.bits(result.q, 3, heads * headDim)).as("padding").containsOnly(0);
    assertThat(result.status).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "5,0,0,BLOCK_OUT_OF_POOL",
    "5,0,-1,BLOCK_OUT_OF_POOL",
    "5,0,2147483647,BLOCK_OUT_OF_POOL",
    "64,0,1,POSITION_BEYOND_TABLE",
    "5,1,1,SEQUENCE_OUT_OF_RANGE",
    "5,-1,1,SEQUENCE_OUT_OF_RANGE",
    "200,0,1,POSITION_BEYOND_ROTARY",
    "2147483647,0,1,POSITION_BEYOND_ROTARY"
  })
  void aRowWithoutASlotWritesNoKvAndIsReported(
      int position, int sequence, int entry, StatusBit bit, Gpu gpu) {
    Random random = Gpu.random();
    PagedPool paged = new PagedPool(random, 1, 16, 32, 64);
    paged.tables()[0][0] = entry;
    float[] qkv = Inputs.uniform(random, 4 * 32, -1, 1);
    Result result = run(gpu, paged, qkv, new int[] {position}, new int[] {sequence}, 2, 4, 0);
    assertThat(Close.bits(result.keys)).isEqualTo(Close.bits(paged.keys()));
    assertThat(Close.bits(result.values)).isEqualTo(Close.bits(paged.values()));
    assertThat(result.status).containsExactly(bit);
    if (bit == StatusBit.POSITION_BEYOND_ROTARY) {
      assertThat(result.q[0]).isNaN();
    } else {
      Close.assertClose(Arrays.copyOf(result.q, 32), rotated(qkv, 0, 32, position), 1e-6, 1e-5);
    }
  }

  @Test
  void aRowHasTheSameBitsAmongOthersAndWithLongerTables(Gpu gpu) {
    Random random = Gpu.random();
    PagedPool paged = new PagedPool(random, 2, 16, 32, 100);
    int width = 8 * 32;
    float[] row = Inputs.uniform(random, width, -1, 1);
    Result alone = run(gpu, paged, row, new int[] {77}, new int[] {0}, 4, 7, 0);
    float[] rows = new float[3 * width];
    Arrays.fill(rows, Float.NaN);
    System.arraycopy(row, 0, rows, width, width);
    Result among =
        run(
            gpu,
            paged,
            rows,
            new int[] {-1, 77, -1},
            new int[] {GARBAGE, 0, GARBAGE},
            4,
            50,
            GARBAGE);
    assertThat(Close.bits(among.q, 1, 128)).isEqualTo(Close.bits(alone.q));
    assertThat(Close.bits(among.keys)).isEqualTo(Close.bits(alone.keys));
    assertThat(Close.bits(among.values)).isEqualTo(Close.bits(alone.values));
  }

  @Test
  void theTableRefusesAnOddHeadWidth() {
    assertThatThrownBy(() -> RotaryTable.of(4, 5, THETA))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("5");
  }

  private static double[] rotated(float[] qkv, int from, int headDim, int position) {
    double[] head = new double[headDim];
    for (int d = 0; d < headDim; d++) {
      head[d] = qkv[from + d];
    }
    return RotaryReference.rotate(head, position, THETA);
  }

  private static Result run(
      Gpu gpu,
      PagedPool paged,
      float[] qkv,
      int[] positions,
      int[] sequences,
      int heads,
      int maxBlocks,
      int unused) {
    int headDim = paged.shape().headDim();
    int rows = positions.length;
    Span q = gpu.floatsOf(rows * heads * headDim);
    Span status = gpu.status();
    KvLayer pool = paged.upload(gpu);
    gpu.run(
        gpu.kernels()
            .rotaryEmbedding()
            .writeKv(
                gpu.floats(qkv),
                gpu.floats(RotaryTable.of(CONTEXT, headDim, THETA)),
                gpu.ints(positions),
                gpu.ints(sequences),
                paged.tables(gpu, maxBlocks, unused),
                q,
                pool,
                status,
                rows,
                heads,
                CONTEXT));
    return new Result(
        gpu.floats(q), gpu.floats(pool.keys()), gpu.floats(pool.values()), gpu.status(status));
  }
}
