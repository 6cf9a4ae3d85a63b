package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;

/** Comparison of f32 results with double-precision references. */
final class Close {

  private Close() {}

  /** Each value within {@code relative} of the reference or {@code absolute} of it. */
  static void assertClose(float[] actual, double[] expected, double relative, double absolute) {
    assertThat(actual).hasSameSizeAs(expected);
    for (int i = 0; i < actual.length; i++) {
      assertThat((double) actual[i])
          .as("element %d", i)
          .isCloseTo(expected[i], within(absolute + relative * Math.abs(expected[i])));
    }
  }

  /** Each value within {@code relative} of a magnitude of its own. */
  static void assertClose(float[] actual, double[] expected, double[] magnitude, double relative) {
    assertThat(actual).hasSameSizeAs(expected);
    for (int i = 0; i < actual.length; i++) {
      assertThat((double) actual[i])
          .as("element %d", i)
          .isCloseTo(expected[i], within(relative * magnitude[i] + Float.MIN_VALUE));
    }
  }

  /** The bits of floats, so that equality means equality. */
  static int[] bits(float[] values) {
    int[] bits = new int[values.length];
    for (int i = 0; i < values.length; i++) {
      bits[i] = Float.floatToRawIntBits(values[i]);
    }
    return bits;
  }

  /** The bits of one row. */
  static int[] bits(float[] values, int row, int width) {
    return bits(Arrays.copyOfRange(values, row * width, (row + 1) * width));
  }
}
