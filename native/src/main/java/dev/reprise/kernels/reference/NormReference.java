package dev.reprise.kernels.reference;

/** RMSNorm. */
public final class NormReference {

  private NormReference() {}

  /** {@code x / sqrt(mean(x²) + eps) · w} of one row. */
  public static double[] rms(double[] x, float[] w, double eps) {
    double squares = 0;
    for (double value : x) {
      squares += value * value;
    }
    double root = Math.sqrt(squares / x.length + eps);
    double[] out = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      out[i] = x[i] / root * w[i];
    }
    return out;
  }

  /** The same of several rows of {@code x + delta}; {@code w} is as long as a row. */
  public static double[] rows(float[] x, float[] delta, float[] w, double eps) {
    int n = w.length;
    double[] out = new double[x.length];
    for (int row = 0; row < x.length / n; row++) {
      double[] values = new double[n];
      for (int i = 0; i < n; i++) {
        values[i] = (double) x[row * n + i] + delta[row * n + i];
      }
      System.arraycopy(rms(values, w, eps), 0, out, row * n, n);
    }
    return out;
  }
}
