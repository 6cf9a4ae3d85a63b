package dev.reprise.softgpu.engine.exec;

import org.jspecify.annotations.Nullable;

/**
 * Where generated loops put what they compute: into the register, or, while some lanes do not take
 * part, into arrays whose active lanes are copied into it afterwards.
 */
final class Results {
  /** Results of one loop. */
  static final int MOST = 16;

  private final int[] @Nullable [] ints = new int[MOST][];
  private final float[] @Nullable [] floats = new float[MOST][];
  private final long[] @Nullable [] longs = new long[MOST][];
  private final double[] @Nullable [] doubles = new double[MOST][];

  /** The array for the {@code n}th result of a loop. */
  static int[] of(Warp w, int[] register, int m, int n) {
    return m == w.live ? register : w.results.ints(n);
  }

  private int[] ints(int n) {
    int @Nullable [] array = ints[n];
    if (array == null) {
      array = new int[Warp.LANES];
      ints[n] = array;
    }
    return array;
  }

  /** Copies the lanes of {@code m}. */
  static void blend(int[] from, int[] to, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      to[k] = from[k];
    }
  }

  /** The array for the {@code n}th result of a loop. */
  static float[] of(Warp w, float[] register, int m, int n) {
    return m == w.live ? register : w.results.floats(n);
  }

  private float[] floats(int n) {
    float @Nullable [] array = floats[n];
    if (array == null) {
      array = new float[Warp.LANES];
      floats[n] = array;
    }
    return array;
  }

  /** Copies the lanes of {@code m}. */
  static void blend(float[] from, float[] to, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      to[k] = from[k];
    }
  }

  /** The array for the {@code n}th result of a loop. */
  static long[] of(Warp w, long[] register, int m, int n) {
    return m == w.live ? register : w.results.longs(n);
  }

  private long[] longs(int n) {
    long @Nullable [] array = longs[n];
    if (array == null) {
      array = new long[Warp.LANES];
      longs[n] = array;
    }
    return array;
  }

  /** Copies the lanes of {@code m}. */
  static void blend(long[] from, long[] to, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      to[k] = from[k];
    }
  }

  /** The array for the {@code n}th result of a loop. */
  static double[] of(Warp w, double[] register, int m, int n) {
    return m == w.live ? register : w.results.doubles(n);
  }

  private double[] doubles(int n) {
    double @Nullable [] array = doubles[n];
    if (array == null) {
      array = new double[Warp.LANES];
      doubles[n] = array;
    }
    return array;
  }

  /** Copies the lanes of {@code m}. */
  static void blend(double[] from, double[] to, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      to[k] = from[k];
    }
  }
}
