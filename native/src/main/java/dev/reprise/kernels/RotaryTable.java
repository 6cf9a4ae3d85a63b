package dev.reprise.kernels;

/**
 * Cosines and sines of rotary position embedding (Su et al., 2021): {@code [maxContext][headDim /
 * 2][2]}, angle {@code position · theta^(-2i / headDim)}.
 */
public final class RotaryTable {

  private RotaryTable() {}

  /**
   * The table in f32, computed in double precision.
   *
   * @param maxContext positions
   * @param headDim width of a head, even
   * @param theta base of the frequencies
   */
  public static float[] of(int maxContext, int headDim, double theta) {
    if (maxContext < 1 || headDim < 2 || headDim % 2 != 0 || !(theta > 0)) {
      throw new IllegalArgumentException(
          "A rotary table needs positions, an even head width and a positive base: given %d, %d, %s."
              .formatted(maxContext, headDim, theta));
    }
    float[] table = new float[Math.multiplyExact(maxContext, headDim)];
    for (int i = 0; i < headDim / 2; i++) {
      double frequency = Math.pow(theta, -2.0 * i / headDim);
      for (int position = 0; position < maxContext; position++) {
        double angle = position * frequency;
        table[position * headDim + 2 * i] = (float) Math.cos(angle);
        table[position * headDim + 2 * i + 1] = (float) Math.sin(angle);
      }
    }
    return table;
  }
}
