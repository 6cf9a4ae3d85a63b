package dev.reprise.kernels.reference;

/** Rotary position embedding on interleaved pairs. */
public final class RotaryReference {

  private RotaryReference() {}

  /**
   * Turns the pair (2i, 2i+1) of a head by {@code position · theta^(-2i / headDim)}, as complex
   * numbers are multiplied.
   */
  public static double[] rotate(double[] head, int position, double theta) {
    double[] out = new double[head.length];
    for (int i = 0; i < head.length; i += 2) {
      double angle = position / Math.pow(theta, (double) i / head.length);
      out[i] = head[i] * Math.cos(angle) - head[i + 1] * Math.sin(angle);
      out[i + 1] = head[i] * Math.sin(angle) + head[i + 1] * Math.cos(angle);
    }
    return out;
  }
}
