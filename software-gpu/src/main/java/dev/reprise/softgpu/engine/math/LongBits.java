package dev.reprise.softgpu.engine.math;

/** Integer instructions on one 64-bit value that Java has no operator for. */
public final class LongBits {
  private LongBits() {}

  /** Division by zero gives all ones, as devices do; PTX leaves it open. */
  public static long divS(long a, long b) {
    return b == 0 ? -1 : a / b;
  }

  public static long remS(long a, long b) {
    return b == 0 ? a : a % b;
  }

  public static long divU(long a, long b) {
    return b == 0 ? -1 : Long.divideUnsigned(a, b);
  }

  public static long remU(long a, long b) {
    return b == 0 ? a : Long.remainderUnsigned(a, b);
  }

  /** {@code bfe} on a value of {@code width} bits, as the PTX ISA's pseudocode has it. */
  public static long extract(long a, int position, int length, boolean signed, int width) {
    int pos = position & 0xff;
    int len = length & 0xff;
    int msb = width - 1;
    long sign = !signed || len == 0 ? 0 : a >>> Math.min(pos + len - 1, msb) & 1;
    long field = pos > msb ? 0 : a >>> pos;
    int valid = Math.min(len, Math.max(0, width - pos));
    long keep = valid >= 64 ? -1 : (1L << valid) - 1;
    return (field & keep) | (sign != 0 ? ~keep : 0);
  }

  /** {@code bfi} on values of {@code width} bits. */
  public static long insert(long field, long base, int position, int length, int width) {
    int pos = position & 0xff;
    int len = Math.min(length & 0xff, Math.max(0, width - pos));
    if (len == 0) {
      return base;
    }
    long keep = len >= 64 ? -1 : ((1L << len) - 1) << pos;
    return (base & ~keep) | (field << pos & keep);
  }

  /** {@code bfind}: position of the most significant bit that is not the sign; -1 for none. */
  public static int find(long a, boolean signed, boolean shiftAmount) {
    long v = signed && a < 0 ? ~a : a;
    int at = 63 - Long.numberOfLeadingZeros(v);
    return shiftAmount && at >= 0 ? 63 - at : at;
  }

  /** {@code sad}: c plus the distance of a and b. */
  public static long sad(long a, long b, long c, boolean signed) {
    boolean less = signed ? a < b : Long.compareUnsigned(a, b) < 0;
    return c + (less ? b - a : a - b);
  }
}
