package dev.reprise.kernels.reference;

/** SwiGLU. */
public final class ActivationReference {

  private ActivationReference() {}

  /** {@code gate / (1 + exp(-gate)) · up} of one row that holds the gates, then the ups. */
  public static double[] swiglu(float[] gateUp) {
    int ff = gateUp.length / 2;
    double[] out = new double[ff];
    for (int i = 0; i < ff; i++) {
      double gate = gateUp[i];
      out[i] = gate / (1 + Math.exp(-gate)) * gateUp[ff + i];
    }
    return out;
  }
}
