package dev.reprise.softgpu.engine.math;

/** 32-bit integer arithmetic, lane by lane; comparisons give a bit for each lane. */
public final class IntLanes {
  private static final int N = 32;

  /**
   * The bit of each lane in a mask: from memory they become vectors, computed from the lane not.
   */
  private static final int[] BITS = new int[N];

  static {
    for (int k = 0; k < N; k++) {
      BITS[k] = 1 << k;
    }
  }

  private IntLanes() {}

  public static void mov(int[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k];
    }
  }

  public static void not(int[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = ~a[k];
    }
  }

  public static void neg(int[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = -a[k];
    }
  }

  public static void abs(int[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.abs(a[k]);
    }
  }

  public static void popc(int[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Integer.bitCount(a[k]);
    }
  }

  public static void clz(int[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Integer.numberOfLeadingZeros(a[k]);
    }
  }

  public static void brev(int[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Integer.reverse(a[k]);
    }
  }

  public static void low16(int[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] & 0xffff;
    }
  }

  public static void signed16(int[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = (short) a[k];
    }
  }

  public static void signed8(int[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = (byte) a[k];
    }
  }

  public static void low8(int[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] & 0xff;
    }
  }

  public static void add(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] + b[k];
    }
  }

  public static void sub(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] - b[k];
    }
  }

  public static void mul(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] * b[k];
    }
  }

  public static void and(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] & b[k];
    }
  }

  public static void or(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] | b[k];
    }
  }

  public static void xor(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] ^ b[k];
    }
  }

  public static void minS(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.min(a[k], b[k]);
    }
  }

  public static void maxS(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.max(a[k], b[k]);
    }
  }

  public static void minU(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.min(a[k] ^ FLIP, b[k] ^ FLIP) ^ FLIP;
    }
  }

  public static void maxU(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.max(a[k] ^ FLIP, b[k] ^ FLIP) ^ FLIP;
    }
  }

  public static void mulHiS(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = (int) ((long) a[k] * b[k] >> 32);
    }
  }

  public static void mulHiU(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = (int) ((a[k] & 0xffff_ffffL) * (b[k] & 0xffff_ffffL) >>> 32);
    }
  }

  public static void shl(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = (b[k] & ~31) == 0 ? a[k] << b[k] : 0;
    }
  }

  public static void shrU(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = (b[k] & ~31) == 0 ? a[k] >>> b[k] : 0;
    }
  }

  public static void shrS(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] >> ((b[k] & ~31) == 0 ? b[k] : 31);
    }
  }

  public static void divS(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = IntBits.divS(a[k], b[k]);
    }
  }

  public static void remS(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = IntBits.remS(a[k], b[k]);
    }
  }

  public static void divU(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = IntBits.divU(a[k], b[k]);
    }
  }

  public static void remU(int[] d, int[] a, int[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = IntBits.remU(a[k], b[k]);
    }
  }

  public static void mad(int[] d, int[] a, int[] b, int[] c) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] * b[k] + c[k];
    }
  }

  public static void madHiS(int[] d, int[] a, int[] b, int[] c) {
    for (int k = 0; k < N; k++) {
      d[k] = (int) ((long) a[k] * b[k] >> 32) + c[k];
    }
  }

  public static void madHiU(int[] d, int[] a, int[] b, int[] c) {
    for (int k = 0; k < N; k++) {
      d[k] = (int) ((a[k] & 0xffff_ffffL) * (b[k] & 0xffff_ffffL) >>> 32) + c[k];
    }
  }

  public static int eq(int[] a, int[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (a[k] == b[k] ? 1 : 0) << k;
    }
    return r;
  }

  public static int ne(int[] a, int[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (a[k] != b[k] ? 1 : 0) << k;
    }
    return r;
  }

  public static int ltS(int[] a, int[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (a[k] < b[k] ? 1 : 0) << k;
    }
    return r;
  }

  public static int leS(int[] a, int[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (a[k] <= b[k] ? 1 : 0) << k;
    }
    return r;
  }

  public static int ltU(int[] a, int[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= ((a[k] ^ FLIP) < (b[k] ^ FLIP) ? 1 : 0) << k;
    }
    return r;
  }

  public static int leU(int[] a, int[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= ((a[k] ^ FLIP) <= (b[k] ^ FLIP) ? 1 : 0) << k;
    }
    return r;
  }

  /** Turns unsigned order into signed order. */
  private static final int FLIP = Integer.MIN_VALUE;

  /** Shift by a constant from 0 to 31. */
  public static void shl(int[] d, int[] a, int n) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] << n;
    }
  }

  public static void shrU(int[] d, int[] a, int n) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] >>> n;
    }
  }

  public static void shrS(int[] d, int[] a, int n) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] >> n;
    }
  }

  /** The bits of {@code keep} after a shift to the right. */
  public static void field(int[] d, int[] a, int shift, int keep) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] >>> shift & keep;
    }
  }

  /** {@code a} in the lanes of the mask, {@code b} in the others. */
  public static void select(int[] d, int[] a, int[] b, int mask) {
    for (int k = 0; k < N; k++) {
      int bit = mask & BITS[k];
      int m = (bit | -bit) >> 31;
      d[k] = b[k] ^ ((a[k] ^ b[k]) & m);
    }
  }

  /** Sum of products of four bytes each, signed or not, and c. */
  public static void dp4a(int[] d, int[] a, int[] b, int[] c, boolean signedA, boolean signedB) {
    for (int k = 0; k < N; k++) {
      int sum = c[k];
      for (int shift = 0; shift < 32; shift += 8) {
        sum += IntBits.byteAt(a[k], shift, signedA) * IntBits.byteAt(b[k], shift, signedB);
      }
      d[k] = sum;
    }
  }

  /** Function of one operand. */
  @FunctionalInterface
  public interface Unary {
    int apply(int a);
  }

  /** Function of two operands. */
  @FunctionalInterface
  public interface Binary {
    int apply(int a, int b);
  }

  /** Function of three operands. */
  @FunctionalInterface
  public interface Ternary {
    int apply(int a, int b, int c);
  }

  /** For instructions too rare for a loop of their own. */
  public static void map(int[] d, int[] a, Unary op) {
    for (int k = 0; k < N; k++) {
      d[k] = op.apply(a[k]);
    }
  }

  public static void map(int[] d, int[] a, int[] b, Binary op) {
    for (int k = 0; k < N; k++) {
      d[k] = op.apply(a[k], b[k]);
    }
  }

  public static void map(int[] d, int[] a, int[] b, int[] c, Ternary op) {
    for (int k = 0; k < N; k++) {
      d[k] = op.apply(a[k], b[k], c[k]);
    }
  }
}
