package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.reprise.softgpu.memory.HostMemory;
import java.util.Arrays;

/**
 * Moves between native memory and lanes, at addresses that have been checked. {@code at} is the
 * byte offset of a vector's element.
 */
final class Lanes {
  private Lanes() {}

  static int int8(long a) {
    return HostMemory.ALL.get(JAVA_BYTE, a);
  }

  static int int16(long a) {
    return HostMemory.ALL.get(JAVA_SHORT_UNALIGNED, a);
  }

  static int int32(long a) {
    return HostMemory.ALL.get(JAVA_INT_UNALIGNED, a);
  }

  static long int64(long a) {
    return HostMemory.ALL.get(JAVA_LONG_UNALIGNED, a);
  }

  static float float32(long a) {
    return HostMemory.ALL.get(JAVA_FLOAT_UNALIGNED, a);
  }

  static double float64(long a) {
    return HostMemory.ALL.get(JAVA_DOUBLE_UNALIGNED, a);
  }

  static void loadInts(long[] a, int at, int[] d, int m, int shape) {
    if (m == -1) {
      if (shape == MemoryOp.UNIFORM) {
        Arrays.fill(d, int32(a[0] + at));
      } else {
        for (int k = 0; k < Warp.LANES; k++) {
          d[k] = int32(a[k] + at);
        }
      }
      return;
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      d[k] = int32(a[k] + at);
    }
  }

  /** Loads elements of 1 or 2 bytes, extended by sign and then cut to {@code keep}. */
  static void loadSmall(long[] a, int at, int bytes, int keep, int[] d, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      d[k] = (bytes == 1 ? int8(a[k] + at) : int16(a[k] + at)) & keep;
    }
  }

  static void loadFloats(long[] a, int at, float[] d, int m, int shape) {
    if (m == -1) {
      if (shape == MemoryOp.UNIFORM) {
        Arrays.fill(d, float32(a[0] + at));
      } else {
        for (int k = 0; k < Warp.LANES; k++) {
          d[k] = float32(a[k] + at);
        }
      }
      return;
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      d[k] = float32(a[k] + at);
    }
  }

  static void loadLongs(long[] a, int at, long[] d, int m, int shape) {
    if (m == -1) {
      if (shape == MemoryOp.UNIFORM) {
        Arrays.fill(d, int64(a[0] + at));
      } else {
        for (int k = 0; k < Warp.LANES; k++) {
          d[k] = int64(a[k] + at);
        }
      }
      return;
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      d[k] = int64(a[k] + at);
    }
  }

  static void loadDoubles(long[] a, int at, double[] d, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      d[k] = float64(a[k] + at);
    }
  }

  static void storeInts(long[] a, int at, int[] s, int m) {
    if (m == -1) {
      for (int k = 0; k < Warp.LANES; k++) {
        HostMemory.ALL.set(JAVA_INT_UNALIGNED, a[k] + at, s[k]);
      }
      return;
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      HostMemory.ALL.set(JAVA_INT_UNALIGNED, a[k] + at, s[k]);
    }
  }

  static void storeSmall(long[] a, int at, int bytes, int[] s, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      if (bytes == 1) {
        HostMemory.ALL.set(JAVA_BYTE, a[k] + at, (byte) s[k]);
      } else {
        HostMemory.ALL.set(JAVA_SHORT_UNALIGNED, a[k] + at, (short) s[k]);
      }
    }
  }

  static void storeFloats(long[] a, int at, float[] s, int m) {
    if (m == -1) {
      for (int k = 0; k < Warp.LANES; k++) {
        HostMemory.ALL.set(JAVA_FLOAT_UNALIGNED, a[k] + at, s[k]);
      }
      return;
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      HostMemory.ALL.set(JAVA_FLOAT_UNALIGNED, a[k] + at, s[k]);
    }
  }

  static void storeLongs(long[] a, int at, long[] s, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      HostMemory.ALL.set(JAVA_LONG_UNALIGNED, a[k] + at, s[k]);
    }
  }

  static void storeDoubles(long[] a, int at, double[] s, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      HostMemory.ALL.set(JAVA_DOUBLE_UNALIGNED, a[k] + at, s[k]);
    }
  }
}
