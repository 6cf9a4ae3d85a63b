package dev.reprise.softgpu.engine.math;

/**
 * Integer instructions on one 32-bit value that Java has no operator for, after the PTX ISA's own
 * definitions.
 */
public final class IntBits {
  private IntBits() {}

  /** Division by zero gives all ones, as devices do; PTX leaves it open. */
  public static int divS(int a, int b) {
    return b == 0 ? -1 : a / b;
  }

  public static int remS(int a, int b) {
    return b == 0 ? a : a % b;
  }

  public static int divU(int a, int b) {
    return b == 0 ? -1 : Integer.divideUnsigned(a, b);
  }

  public static int remU(int a, int b) {
    return b == 0 ? a : Integer.remainderUnsigned(a, b);
  }

  static int byteAt(int v, int shift, boolean signed) {
    return signed ? (byte) (v >> shift) : v >>> shift & 0xff;
  }

  /** {@code bfe}: {@code length} bits from {@code position}, both taken modulo 256. */
  public static int extract(int a, int position, int length, boolean signed) {
    return (int) LongBits.extract(signed ? a : a & 0xffff_ffffL, position, length, signed, 32);
  }

  /**
   * {@code bfi}: the low {@code length} bits of {@code field} put over {@code base} at {@code
   * position}.
   */
  public static int insert(int field, int base, int position, int length) {
    return (int) LongBits.insert(field & 0xffff_ffffL, base & 0xffff_ffffL, position, length, 32);
  }

  /** {@code bfind}: position of the most significant bit that is not the sign; -1 for none. */
  public static int find(int a, boolean signed, boolean shiftAmount) {
    int v = signed && a < 0 ? ~a : a;
    int at = 31 - Integer.numberOfLeadingZeros(v);
    return shiftAmount && at >= 0 ? 31 - at : at;
  }

  /**
   * {@code prmt} without a mode: each nibble of the selector picks a byte of {@code b:a}, or its
   * sign copied.
   */
  public static int permute(int a, int b, int selector) {
    long bytes = (a & 0xffff_ffffL) | (long) b << 32;
    int r = 0;
    for (int k = 0; k < 4; k++) {
      int nibble = selector >>> 4 * k & 15;
      int value = (int) (bytes >>> 8 * (nibble & 7)) & 0xff;
      if ((nibble & 8) != 0) {
        value = (value & 0x80) != 0 ? 0xff : 0;
      }
      r |= value << 8 * k;
    }
    return r;
  }

  /** {@code prmt} with a mode: the low two bits of the selector pick one of four permutations. */
  public static int permute(int a, int b, int selector, String mode) {
    int s = selector & 3;
    int pattern =
        switch (mode) {
          case "f4e" -> new int[] {0x3210, 0x4321, 0x5432, 0x6543}[s];
          case "b4e" -> new int[] {0x5670, 0x6701, 0x7012, 0x0123}[s];
          case "rc8" -> s * 0x1111;
          case "ecl" -> new int[] {0x3210, 0x3211, 0x3222, 0x3333}[s];
          case "ecr" -> new int[] {0x0000, 0x1110, 0x2210, 0x3210}[s];
          case "rc16" -> new int[] {0x1010, 0x3232, 0x1010, 0x3232}[s];
          default -> throw new IllegalArgumentException(mode);
        };
    return permute(a, b, pattern);
  }

  /** {@code lop3}: any boolean function of three bits, given as its truth table. */
  public static int lop3(int a, int b, int c, int table) {
    int r = 0;
    for (int row = 0; row < 8; row++) {
      if ((table >>> row & 1) != 0) {
        r |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
      }
    }
    return r;
  }

  /** {@code shf}: the upper (left) or lower (right) half of {@code high:low} shifted. */
  public static int funnel(int low, int high, int amount, boolean left, boolean clamp) {
    int n = clamp ? (Integer.compareUnsigned(amount, 32) > 0 ? 32 : amount) : amount & 31;
    long both = (low & 0xffff_ffffL) | (long) high << 32;
    return left ? (int) (both << n >>> 32) : (int) (both >>> n);
  }

  /** {@code sad}: c plus the distance of a and b. */
  public static int sad(int a, int b, int c, boolean signed) {
    boolean less = signed ? a < b : Integer.compareUnsigned(a, b) < 0;
    return c + (less ? b - a : a - b);
  }

  /** {@code dp2a}: two halves of a times two bytes of b, the low or the high ones, plus c. */
  public static int dp2a(int a, int b, int c, boolean signedA, boolean signedB, boolean high) {
    int a0 = signedA ? (short) a : a & 0xffff;
    int a1 = signedA ? a >> 16 : a >>> 16;
    int from = high ? 16 : 0;
    return c + a0 * byteAt(b, from, signedB) + a1 * byteAt(b, from + 8, signedB);
  }

  /**
   * {@code szext}: the low {@code n} bits extended by sign or zero; amounts clamp or wrap at 32.
   */
  public static int extend(int a, int n, boolean signed, boolean clamp) {
    int bits = clamp ? (Integer.compareUnsigned(n, 32) > 0 ? 32 : n) : n & 31;
    if (bits == 0) {
      return 0;
    }
    int up = 32 - bits;
    return signed ? a << up >> up : a << up >>> up;
  }

  /** {@code bmsk}: {@code width} ones from bit {@code position}. */
  public static int mask(int position, int width, boolean clamp) {
    int p = clamp ? (Integer.compareUnsigned(position, 32) > 0 ? 32 : position) : position & 31;
    int n = clamp ? (Integer.compareUnsigned(width, 32) > 0 ? 32 : width) : width & 31;
    return (int) (((1L << n) - 1) << p);
  }

  /**
   * {@code fns}: position of the n-th set bit from {@code base}, upwards for positive n; -1 for
   * none.
   */
  public static int nthSet(int mask, int base, int n) {
    int at = base;
    int left = Math.abs(n) - (n == 0 ? 0 : 1);
    int step = n < 0 ? -1 : 1;
    for (; at >= 0 && at < 32; at += step) {
      if ((mask >>> at & 1) != 0) {
        if (left == 0) {
          return at;
        }
        left--;
      } else if (n == 0) {
        return -1;
      }
    }
    return -1;
  }
}
