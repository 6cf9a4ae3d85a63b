package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.kernels.contract.StatusBit;
import dev.reprise.kernels.reference.SamplingReference;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(GpuExtension.class)
class ArgmaxTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 31, 256, 1024, 1025, 20_000})
  void picksTheLowestIndexOfTheLargestLogit(int vocab, Gpu gpu) {
    Random random = Gpu.random();
    int rows = 4;
    float[] logits = new float[rows * vocab];
    for (int i = 0; i < logits.length; i++) {
      logits[i] = random.nextInt(20) - 10; // many ties
    }
    int[] expected = new int[rows];
    for (int row = 0; row < rows; row++) {
      expected[row] =
          SamplingReference.argmax(Arrays.copyOfRange(logits, row * vocab, (row + 1) * vocab));
    }
    assertThat(run(gpu, logits, vocab, gpu.status(), 0, 1, 2, 3)).isEqualTo(expected);
  }

  @Test
  void treatsSignedZerosAlikeAndPassesOverNaN(Gpu gpu) {
    float nan = Float.NaN;
    float inf = Float.POSITIVE_INFINITY;
    float[] logits = {
      nan,
      -0f,
      0f,
      -1, //
      0f,
      -0f,
      nan,
      nan, //
      -inf,
      nan,
      -inf,
      -inf, //
      nan,
      inf,
      inf,
      1, //
      -3,
      -2,
      -2,
      Float.intBitsToFloat(0xffc00001)
    };
    Span status = gpu.status();
    assertThat(run(gpu, logits, 4, status, 0, 1, 2, 3, 4)).containsExactly(1, 0, 0, 1, 1);
    assertThat(gpu.status(status)).isEmpty();
  }

  @Test
  void aRowOfNaNGivesMinusOneAndIsReported(Gpu gpu) {
    float[] logits = {1, 2, Float.NaN, Float.NaN};
    Span status = gpu.status();
    assertThat(run(gpu, logits, 2, status, 0, 1)).containsExactly(1, -1);
    assertThat(gpu.status(status)).containsExactly(StatusBit.NOTHING_TO_SAMPLE);
  }

  @Test
  void paddingGivesMinusOneAndMissingRowsAreReported(Gpu gpu) {
    float[] logits = {1, 2, 1, 2, 1, 2};
    Span status = gpu.status();
    assertThat(run(gpu, logits, 2, status, -1, 3, 2)).containsExactly(-1, -1, 1);
    assertThat(gpu.status(status)).containsExactly(StatusBit.ROW_OUT_OF_RANGE);
  }

  private static int[] run(Gpu gpu, float[] logits, int vocab, Span status, int... rowIndex) {
    int rows = rowIndex.length;
    Span sampled = gpu.intsOf(rows);
    gpu.run(
        gpu.kernels()
            .sampling()
            .argmax(
                gpu.floats(logits),
                gpu.ints(rowIndex),
                gpu.ints(new int[rows]),
                sampled,
                status,
                rows,
                rows,
                vocab));
    return gpu.ints(sampled);
  }
}
