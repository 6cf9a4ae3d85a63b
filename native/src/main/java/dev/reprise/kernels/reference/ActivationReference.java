package dev.reprise.kernels.reference;

import java.util.Arrays;

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

  /** The same of several rows. */
  public static double[] rows(float[] gateUp, int rows) {
    int width = gateUp.length / rows;
    double[] out = new double[rows * (width / 2)];
    for (int row = 0; row < rows; row++) {
      float[] one = Arrays.copyOfRange(gateUp, row * width, (row + 1) * width);
      System.arraycopy(swiglu(one), 0, out, row * (width / 2), width / 2);
    }
    return out;
  }
}
