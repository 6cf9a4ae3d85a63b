package dev.reprise.kernels.check;

import java.util.Random;

/** Random inputs of kernels. */
public final class Inputs {

  private Inputs() {}

  /** Values from {@code least} up to {@code most}. */
  public static float[] uniform(Random random, int count, float least, float most) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = least + (most - least) * random.nextFloat();
    }
    return values;
  }

  /** Values that f16 holds exactly, so that both weight types stand for the same numbers. */
  public static float[] halfExact(Random random, int count) {
    float[] values = uniform(random, count, -1, 1);
    for (int i = 0; i < count; i++) {
      values[i] = Float.float16ToFloat(Float.floatToFloat16(values[i]));
    }
    return values;
  }
}
