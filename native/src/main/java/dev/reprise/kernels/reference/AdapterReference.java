package dev.reprise.kernels.reference;

/** Low-rank adapters of one row. */
public final class AdapterReference {

  private AdapterReference() {}

  /**
   * {@code y + scale · B (A · x)}.
   *
   * @param a {@code [rank][in]}
   * @param b {@code [rank][out]}
   */
  public static double[] row(float[] a, float[] b, float[] x, float[] y, int rank, double scale) {
    double[] result = new double[y.length];
    for (int o = 0; o < y.length; o++) {
      double sum = 0;
      for (int r = 0; r < rank; r++) {
        double low = 0;
        for (int i = 0; i < x.length; i++) {
          low += (double) a[r * x.length + i] * x[i];
        }
        sum += low * b[r * y.length + o];
      }
      result[o] = y[o] + scale * sum;
    }
    return result;
  }

  /** The same with absolute values: the scale that rounding errors follow. */
  public static double[] magnitude(
      float[] a, float[] b, float[] x, float[] y, int rank, double scale) {
    return row(absolute(a), absolute(b), absolute(x), absolute(y), rank, Math.abs(scale));
  }

  private static float[] absolute(float[] values) {
    float[] result = new float[values.length];
    for (int i = 0; i < values.length; i++) {
      result[i] = Math.abs(values[i]);
    }
    return result;
  }
}
