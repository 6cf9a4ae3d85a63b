package dev.reprise.softgpu.engine.math;

/** 64-bit integer arithmetic, lane by lane; comparisons give a bit for each lane. */
public final class LongLanes {
  private static final int N = 32;

  /** The bit of each lane in a mask, as those of {@link IntLanes}. */
  private static final long[] BITS = new long[N];

  static {
    for (int k = 0; k < N; k++) {
      BITS[k] = 1L << k;
    }
  }

  private LongLanes() {}

  public static void mov(long[] d, long[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k];
    }
  }

  public static void not(long[] d, long[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = ~a[k];
    }
  }

  public static void neg(long[] d, long[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = -a[k];
    }
  }

  public static void abs(long[] d, long[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.abs(a[k]);
    }
  }

  public static void brev(long[] d, long[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Long.reverse(a[k]);
    }
  }

  public static void add(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] + b[k];
    }
  }

  public static void sub(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] - b[k];
    }
  }

  public static void mul(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] * b[k];
    }
  }

  public static void and(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] & b[k];
    }
  }

  public static void or(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] | b[k];
    }
  }

  public static void xor(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] ^ b[k];
    }
  }

  public static void minS(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.min(a[k], b[k]);
    }
  }

  public static void maxS(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.max(a[k], b[k]);
    }
  }

  public static void minU(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.min(a[k] ^ FLIP, b[k] ^ FLIP) ^ FLIP;
    }
  }

  public static void maxU(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.max(a[k] ^ FLIP, b[k] ^ FLIP) ^ FLIP;
    }
  }

  public static void mulHiS(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.multiplyHigh(a[k], b[k]);
    }
  }

  public static void mulHiU(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.unsignedMultiplyHigh(a[k], b[k]);
    }
  }

  public static void divS(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = LongBits.divS(a[k], b[k]);
    }
  }

  public static void remS(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = LongBits.remS(a[k], b[k]);
    }
  }

  public static void divU(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = LongBits.divU(a[k], b[k]);
    }
  }

  public static void remU(long[] d, long[] a, long[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = LongBits.remU(a[k], b[k]);
    }
  }

  public static void mad(long[] d, long[] a, long[] b, long[] c) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] * b[k] + c[k];
    }
  }

  public static void madHiS(long[] d, long[] a, long[] b, long[] c) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.multiplyHigh(a[k], b[k]) + c[k];
    }
  }

  public static void madHiU(long[] d, long[] a, long[] b, long[] c) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.unsignedMultiplyHigh(a[k], b[k]) + c[k];
    }
  }

  public static int eq(long[] a, long[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (a[k] == b[k] ? 1 : 0) << k;
    }
    return r;
  }

  public static int ne(long[] a, long[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (a[k] != b[k] ? 1 : 0) << k;
    }
    return r;
  }

  public static int ltS(long[] a, long[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (a[k] < b[k] ? 1 : 0) << k;
    }
    return r;
  }

  public static int leS(long[] a, long[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (a[k] <= b[k] ? 1 : 0) << k;
    }
    return r;
  }

  public static int ltU(long[] a, long[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= ((a[k] ^ FLIP) < (b[k] ^ FLIP) ? 1 : 0) << k;
    }
    return r;
  }

  public static int leU(long[] a, long[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= ((a[k] ^ FLIP) <= (b[k] ^ FLIP) ? 1 : 0) << k;
    }
    return r;
  }

  /** Turns unsigned order into signed order. */
  private static final long FLIP = Long.MIN_VALUE;

  /** Shift amounts are 32 bits, unsigned, and clamp. */
  public static void shl(long[] d, long[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = (b[k] & ~63) == 0 ? a[k] << b[k] : 0;
    }
  }

  public static void shrU(long[] d, long[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = (b[k] & ~63) == 0 ? a[k] >>> b[k] : 0;
    }
  }

  public static void shrS(long[] d, long[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] >> ((b[k] & ~63) == 0 ? b[k] : 63);
    }
  }

  /** Shift by a constant from 0 to 63. */
  public static void shl(long[] d, long[] a, int n) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] << n;
    }
  }

  public static void shrU(long[] d, long[] a, int n) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] >>> n;
    }
  }

  public static void shrS(long[] d, long[] a, int n) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] >> n;
    }
  }

  /** {@code a} in the lanes of the mask, {@code b} in the others. */
  public static void select(long[] d, long[] a, long[] b, int mask) {
    for (int k = 0; k < N; k++) {
      long bit = mask & BITS[k];
      long m = (bit | -bit) >> 63;
      d[k] = b[k] ^ ((a[k] ^ b[k]) & m);
    }
  }

  public static void mulWideS(long[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = (long) a[k] * b[k];
    }
  }

  public static void mulWideU(long[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = (a[k] & 0xffff_ffffL) * (b[k] & 0xffff_ffffL);
    }
  }

  public static void madWideS(long[] d, int[] a, int[] b, long[] c) {
    for (int k = 0; k < N; k++) {
      d[k] = (long) a[k] * b[k] + c[k];
    }
  }

  public static void madWideU(long[] d, int[] a, int[] b, long[] c) {
    for (int k = 0; k < N; k++) {
      d[k] = (a[k] & 0xffff_ffffL) * (b[k] & 0xffff_ffffL) + c[k];
    }
  }

  public static void extendS(long[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k];
    }
  }

  public static void extendU(long[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] & 0xffff_ffffL;
    }
  }

  public static void low(int[] d, long[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = (int) a[k];
    }
  }

  public static void high(int[] d, long[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = (int) (a[k] >>> 32);
    }
  }

  public static void join(long[] d, int[] low, int[] high) {
    for (int k = 0; k < N; k++) {
      d[k] = (low[k] & 0xffff_ffffL) | (long) high[k] << 32;
    }
  }

  /** The bits of {@code keep} after a shift to the right. */
  public static void field(int[] d, long[] a, int shift, int keep) {
    for (int k = 0; k < N; k++) {
      d[k] = (int) (a[k] >>> shift) & keep;
    }
  }

  public static void popc(int[] d, long[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Long.bitCount(a[k]);
    }
  }

  public static void clz(int[] d, long[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Long.numberOfLeadingZeros(a[k]);
    }
  }

  /** Function of a long and two ints, for the bit-field instructions. */
  @FunctionalInterface
  public interface Field {
    long apply(long a, int b, int c);
  }

  public static void map(long[] d, long[] a, int[] b, int[] c, Field op) {
    for (int k = 0; k < N; k++) {
      d[k] = op.apply(a[k], b[k], c[k]);
    }
  }
}
