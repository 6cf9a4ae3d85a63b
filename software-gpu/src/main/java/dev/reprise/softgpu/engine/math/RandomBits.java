package dev.reprise.softgpu.engine.math;

/**
 * Rounding by random bits (PTX ISA, "cvt", {@code .rs}): they are added to what is cut off, right
 * below the last digit that is kept, and a carry rounds away from zero.
 */
public final class RandomBits {
  private RandomBits() {}

  /**
   * A size in units of the last digit, as a whole number of them.
   *
   * @param random a number of that many bits
   * @param bits at most 16
   */
  static double whole(double size, int random, int bits) {
    double whole = Math.floor(size);
    int cut = (int) Math.scalb(size - whole, bits);
    return cut + random >= 1 << bits ? whole + 1 : whole;
  }

  /**
   * The 16 bits out of 32 that round one of four values; 0 is the value that goes to the top. Two
   * values share 16 bits, the first taking them from the lowest to the highest. The manual says
   * which bits a value takes; that it takes them in this order was measured by others on sm_100.
   *
   * @param bytewise whether two values share a byte of each half (e2m1) or a half
   */
  public static int ofQuad(int random, int part, boolean bytewise) {
    int shared;
    if (bytewise) {
      int r = part < 2 ? random >>> 8 : random;
      shared = r & 0xff | r >>> 8 & 0xff00;
    } else {
      shared = part < 2 ? random >>> 16 : random & 0xffff;
    }
    return (part & 1) != 0 ? shared : Integer.reverse(shared) >>> 16;
  }
}
