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
}
