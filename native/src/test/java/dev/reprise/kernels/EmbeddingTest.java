package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.kernels.check.Inputs;
import dev.reprise.kernels.reference.EmbeddingReference;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(GpuExtension.class)
class EmbeddingTest {

  @ParameterizedTest
  @CsvSource({"F32,128", "F16,128", "F32,4", "F16,36", "F32,7", "F16,7", "F32,1", "F16,1300"})
  void copiesTheEmbeddingOfEachToken(WeightType type, int dim, Gpu gpu) {
    int vocab = 11;
    float[] table = Inputs.halfExact(Gpu.random(), vocab * dim);
    int[] tokens = {0, 10, 3, 3, 5};
    int[] positions = {0, 1, 2, 3, 4};
    assertThat(run(gpu, type, table, tokens, positions, dim, vocab))
        .isEqualTo(expected(table, tokens, positions, dim, vocab));
  }

  @ParameterizedTest
  @CsvSource({"F32,32", "F16,32", "F32,5", "F16,5"})
  void paddingGivesZerosWhateverItsTokenIs(WeightType type, int dim, Gpu gpu) {
    int vocab = 6;
    float[] table = Inputs.halfExact(Gpu.random(), vocab * dim);
    int[] tokens = {Integer.MAX_VALUE, 5, Integer.MIN_VALUE};
    int[] positions = {-1, 7, -1};
    float[] out = run(gpu, type, table, tokens, positions, dim, vocab);
    assertThat(out).isEqualTo(expected(table, tokens, positions, dim, vocab));
    assertThat(out[0]).isZero();
  }

  @ParameterizedTest
  @CsvSource({"6", "-1", "2147483647"})
  void liveRowWithATokenOutsideTheTableIsNaN(int token, Gpu gpu) {
    float[] table = Inputs.halfExact(Gpu.random(), 6 * 8);
    float[] out = run(gpu, WeightType.F32, table, new int[] {token, 1}, new int[] {0, 0}, 8, 6);
    for (int i = 0; i < 8; i++) {
      assertThat(out[i]).isNaN();
      assertThat(out[8 + i]).isEqualTo(table[8 + i]);
    }
  }

  private static float[] run(
      Gpu gpu, WeightType type, float[] table, int[] tokens, int[] positions, int dim, int vocab) {
    Span out = gpu.floatsOf(tokens.length * dim);
    gpu.run(
        gpu.kernels()
            .embedding()
            .rows(
                type,
                gpu.weights(type, table),
                gpu.ints(tokens),
                gpu.ints(positions),
                out,
                tokens.length,
                dim,
                vocab));
    return gpu.floats(out);
  }

  private static float[] expected(
      float[] table, int[] tokens, int[] positions, int dim, int vocab) {
    double[] exact = EmbeddingReference.rows(table, tokens, positions, dim, vocab);
    float[] rounded = new float[exact.length];
    for (int i = 0; i < exact.length; i++) {
      rounded[i] = (float) exact[i];
    }
    return rounded;
  }
}
