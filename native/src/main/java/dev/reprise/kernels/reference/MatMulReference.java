package dev.reprise.kernels.reference;

/** Products with a weight matrix. */
public final class MatMulReference {

  private MatMulReference() {}

  /** {@code y[row][o] = Σ w[o][i] · x[row][i]}. */
  public static double[] multiply(float[] w, float[] x, int rows, int in, int out) {
    double[] y = new double[rows * out];
    for (int row = 0; row < rows; row++) {
      for (int o = 0; o < out; o++) {
        double sum = 0;
        for (int i = 0; i < in; i++) {
          sum += (double) w[o * in + i] * x[row * in + i];
        }
        y[row * out + o] = sum;
      }
    }
    return y;
  }

  /** {@code Σ |w[o][i] · x[row][i]|}: the scale that rounding errors of the product follow. */
  public static double[] magnitude(float[] w, float[] x, int rows, int in, int out) {
    float[] absoluteW = absolute(w);
    float[] absoluteX = absolute(x);
    return multiply(absoluteW, absoluteX, rows, in, out);
  }

  private static float[] absolute(float[] values) {
    float[] result = new float[values.length];
    for (int i = 0; i < values.length; i++) {
      result[i] = Math.abs(values[i]);
    }
    return result;
  }
}
