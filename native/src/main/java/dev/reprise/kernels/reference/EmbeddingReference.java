package dev.reprise.kernels.reference;

import java.util.Arrays;

/** Token embedding. */
public final class EmbeddingReference {

  private EmbeddingReference() {}

  /** Zeros for padding, NaN for a live row whose token is not in the table, else its embedding. */
  public static double[] rows(float[] table, int[] tokens, int[] positions, int dim, int vocab) {
    double[] out = new double[tokens.length * dim];
    for (int row = 0; row < tokens.length; row++) {
      if (positions[row] < 0) {
        continue;
      }
      if (tokens[row] < 0 || tokens[row] >= vocab) {
        Arrays.fill(out, row * dim, (row + 1) * dim, Double.NaN);
        continue;
      }
      for (int i = 0; i < dim; i++) {
        out[row * dim + i] = table[tokens[row] * dim + i];
      }
    }
    return out;
  }
}
