package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Moves between native memory and lanes, at addresses that have been checked. {@code at} is the
 * byte offset of a vector's element.
 */
final class Lanes {
  private static final MemorySegment ALL = HostMemory.ALL;

  private Lanes() {}

  /** One float, for generated code; likewise the next ones. */
  static float floatAt(long a) {
    return ALL.get(JAVA_FLOAT_UNALIGNED, a);
  }

  static int intAt(long a) {
    return ALL.get(JAVA_INT_UNALIGNED, a);
  }

  static long longAt(long a) {
    return ALL.get(JAVA_LONG_UNALIGNED, a);
  }

  static double doubleAt(long a) {
    return ALL.get(JAVA_DOUBLE_UNALIGNED, a);
  }

  static int smallAt(long a, int bytes, int keep) {
    return small(a, bytes) & keep;
  }

  private static int small(long a, int bytes) {
    return bytes == 1 ? ALL.get(JAVA_BYTE, a) : ALL.get(JAVA_SHORT_UNALIGNED, a);
  }

  /** Loads elements of 1 or 2 bytes, extended by sign and then cut to {@code keep}. */
  static void loadSmall(long[] a, int at, int bytes, int keep, int[] d, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      d[k] = small(a[k] + at, bytes) & keep;
    }
  }

  static void loadSmallRun(long start, int stride, int bytes, int keep, int[] d) {
    if (bytes == 2) {
      for (int k = 0; k < Warp.LANES; k++) {
        d[k] = ALL.get(JAVA_SHORT_UNALIGNED, start + (long) k * stride) & keep;
      }
    } else {
      for (int k = 0; k < Warp.LANES; k++) {
        d[k] = ALL.get(JAVA_BYTE, start + (long) k * stride) & keep;
      }
    }
  }

  static void loadSmallUniform(long start, int bytes, int keep, int[] d) {
    Arrays.fill(d, small(start, bytes) & keep);
  }

  static void storeSmall(long[] a, int at, int bytes, int[] s, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      if (bytes == 1) {
        ALL.set(JAVA_BYTE, a[k] + at, (byte) s[k]);
      } else {
        ALL.set(JAVA_SHORT_UNALIGNED, a[k] + at, (short) s[k]);
      }
    }
  }

  /** The elements of lane k lie at {@code 2 k} and {@code 2 k + 1} of the run. */
  static void split(float[] run, float[] d0, float[] d1) {
    for (int k = 0; k < Warp.LANES; k++) {
      d0[k] = run[2 * k];
      d1[k] = run[2 * k + 1];
    }
  }

  /** The elements of lane k lie at {@code 4 k .. 4 k + 3} of the run. */
  static void split(float[] run, float[] d0, float[] d1, float[] d2, float[] d3) {
    for (int k = 0; k < Warp.LANES; k++) {
      d0[k] = run[4 * k];
      d1[k] = run[4 * k + 1];
      d2[k] = run[4 * k + 2];
      d3[k] = run[4 * k + 3];
    }
  }

  /** The elements of lane k lie at {@code 2 k} and {@code 2 k + 1} of the run. */
  static void split(int[] run, int[] d0, int[] d1) {
    for (int k = 0; k < Warp.LANES; k++) {
      d0[k] = run[2 * k];
      d1[k] = run[2 * k + 1];
    }
  }

  /** The elements of lane k lie at {@code 4 k .. 4 k + 3} of the run. */
  static void split(int[] run, int[] d0, int[] d1, int[] d2, int[] d3) {
    for (int k = 0; k < Warp.LANES; k++) {
      d0[k] = run[4 * k];
      d1[k] = run[4 * k + 1];
      d2[k] = run[4 * k + 2];
      d3[k] = run[4 * k + 3];
    }
  }

  static void join(float[] run, int n, int element, float[] s) {
    for (int k = 0; k < Warp.LANES; k++) {
      run[n * k + element] = s[k];
    }
  }

  static void join(int[] run, int n, int element, int[] s) {
    for (int k = 0; k < Warp.LANES; k++) {
      run[n * k + element] = s[k];
    }
  }

  /** Vectors of two or four words of all lanes, each lane's at its address plus {@code at}. */
  static void loadInts(long[] a, long at, Element[] to, int[][] registers) {
    int[] d0 = registers[to[0].register()];
    int[] d1 = registers[to[1].register()];
    if (to.length == 2) {
      for (int k = 0; k < Warp.LANES; k++) {
        long from = a[k] + at;
        d0[k] = ALL.get(JAVA_INT_UNALIGNED, from);
        d1[k] = ALL.get(JAVA_INT_UNALIGNED, from + 4);
      }
      return;
    }
    int[] d2 = registers[to[2].register()];
    int[] d3 = registers[to[3].register()];
    for (int k = 0; k < Warp.LANES; k++) {
      long from = a[k] + at;
      d0[k] = ALL.get(JAVA_INT_UNALIGNED, from);
      d1[k] = ALL.get(JAVA_INT_UNALIGNED, from + 4);
      d2[k] = ALL.get(JAVA_INT_UNALIGNED, from + 8);
      d3[k] = ALL.get(JAVA_INT_UNALIGNED, from + 12);
    }
  }

  static void loadInts(long[] a, int at, int[] d, int m) {
    if (m == -1) {
      for (int k = 0; k < Warp.LANES; k++) {
        d[k] = ALL.get(JAVA_INT_UNALIGNED, a[k] + at);
      }
      return;
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      d[k] = ALL.get(JAVA_INT_UNALIGNED, a[k] + at);
    }
  }

  static void loadIntsRun(long start, int[] d, int count) {
    MemorySegment.copy(ALL, JAVA_INT_UNALIGNED, start, d, 0, count);
  }

  static void loadIntsUniform(long start, int[] d) {
    Arrays.fill(d, ALL.get(JAVA_INT_UNALIGNED, start));
  }

  static void storeInts(long[] a, int at, int[] s, int m) {
    if (m == -1) {
      for (int k = 0; k < Warp.LANES; k++) {
        ALL.set(JAVA_INT_UNALIGNED, a[k] + at, s[k]);
      }
      return;
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      ALL.set(JAVA_INT_UNALIGNED, a[k] + at, s[k]);
    }
  }

  static void storeIntsRun(long start, int[] s, int count) {
    MemorySegment.copy(s, 0, ALL, JAVA_INT_UNALIGNED, start, count);
  }

  /** Vectors of two or four words of all lanes, each lane's at its address plus {@code at}. */
  static void loadFloats(long[] a, long at, Element[] to, float[][] registers) {
    float[] d0 = registers[to[0].register()];
    float[] d1 = registers[to[1].register()];
    if (to.length == 2) {
      for (int k = 0; k < Warp.LANES; k++) {
        long from = a[k] + at;
        d0[k] = ALL.get(JAVA_FLOAT_UNALIGNED, from);
        d1[k] = ALL.get(JAVA_FLOAT_UNALIGNED, from + 4);
      }
      return;
    }
    float[] d2 = registers[to[2].register()];
    float[] d3 = registers[to[3].register()];
    for (int k = 0; k < Warp.LANES; k++) {
      long from = a[k] + at;
      d0[k] = ALL.get(JAVA_FLOAT_UNALIGNED, from);
      d1[k] = ALL.get(JAVA_FLOAT_UNALIGNED, from + 4);
      d2[k] = ALL.get(JAVA_FLOAT_UNALIGNED, from + 8);
      d3[k] = ALL.get(JAVA_FLOAT_UNALIGNED, from + 12);
    }
  }

  static void loadFloats(long[] a, int at, float[] d, int m) {
    if (m == -1) {
      for (int k = 0; k < Warp.LANES; k++) {
        d[k] = ALL.get(JAVA_FLOAT_UNALIGNED, a[k] + at);
      }
      return;
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      d[k] = ALL.get(JAVA_FLOAT_UNALIGNED, a[k] + at);
    }
  }

  static void loadFloatsRun(long start, float[] d, int count) {
    MemorySegment.copy(ALL, JAVA_FLOAT_UNALIGNED, start, d, 0, count);
  }

  static void loadFloatsUniform(long start, float[] d) {
    Arrays.fill(d, ALL.get(JAVA_FLOAT_UNALIGNED, start));
  }

  static void storeFloats(long[] a, int at, float[] s, int m) {
    if (m == -1) {
      for (int k = 0; k < Warp.LANES; k++) {
        ALL.set(JAVA_FLOAT_UNALIGNED, a[k] + at, s[k]);
      }
      return;
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      ALL.set(JAVA_FLOAT_UNALIGNED, a[k] + at, s[k]);
    }
  }

  static void storeFloatsRun(long start, float[] s, int count) {
    MemorySegment.copy(s, 0, ALL, JAVA_FLOAT_UNALIGNED, start, count);
  }

  static void loadLongs(long[] a, int at, long[] d, int m) {
    if (m == -1) {
      for (int k = 0; k < Warp.LANES; k++) {
        d[k] = ALL.get(JAVA_LONG_UNALIGNED, a[k] + at);
      }
      return;
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      d[k] = ALL.get(JAVA_LONG_UNALIGNED, a[k] + at);
    }
  }

  static void loadLongsRun(long start, long[] d, int count) {
    MemorySegment.copy(ALL, JAVA_LONG_UNALIGNED, start, d, 0, count);
  }

  static void loadLongsUniform(long start, long[] d) {
    Arrays.fill(d, ALL.get(JAVA_LONG_UNALIGNED, start));
  }

  static void storeLongs(long[] a, int at, long[] s, int m) {
    if (m == -1) {
      for (int k = 0; k < Warp.LANES; k++) {
        ALL.set(JAVA_LONG_UNALIGNED, a[k] + at, s[k]);
      }
      return;
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      ALL.set(JAVA_LONG_UNALIGNED, a[k] + at, s[k]);
    }
  }

  static void storeLongsRun(long start, long[] s, int count) {
    MemorySegment.copy(s, 0, ALL, JAVA_LONG_UNALIGNED, start, count);
  }

  static void loadDoubles(long[] a, int at, double[] d, int m) {
    if (m == -1) {
      for (int k = 0; k < Warp.LANES; k++) {
        d[k] = ALL.get(JAVA_DOUBLE_UNALIGNED, a[k] + at);
      }
      return;
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      d[k] = ALL.get(JAVA_DOUBLE_UNALIGNED, a[k] + at);
    }
  }

  static void loadDoublesRun(long start, double[] d, int count) {
    MemorySegment.copy(ALL, JAVA_DOUBLE_UNALIGNED, start, d, 0, count);
  }

  static void loadDoublesUniform(long start, double[] d) {
    Arrays.fill(d, ALL.get(JAVA_DOUBLE_UNALIGNED, start));
  }

  static void storeDoubles(long[] a, int at, double[] s, int m) {
    if (m == -1) {
      for (int k = 0; k < Warp.LANES; k++) {
        ALL.set(JAVA_DOUBLE_UNALIGNED, a[k] + at, s[k]);
      }
      return;
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      ALL.set(JAVA_DOUBLE_UNALIGNED, a[k] + at, s[k]);
    }
  }

  static void storeDoublesRun(long start, double[] s, int count) {
    MemorySegment.copy(s, 0, ALL, JAVA_DOUBLE_UNALIGNED, start, count);
  }
}
