package dev.reprise.softgpu.engine.math;

/**
 * What instructions compute in one lane, for generated loops: small methods that the JIT inlines. A
 * comparison gives all ones or 0; where its name starts with {@code not}, the opposite. Comparisons
 * of floating point are missing: they need conditions, which keep a loop from becoming vector code.
 */
public final class LaneScalars {
  private LaneScalars() {}

  /**
   * The sign bit of a - b, corrected for overflow, in all bits: arithmetic becomes vector code
   * where a condition would not.
   */
  private static int sign(int a, int b) {
    int d = a - b;
    return (d ^ ((a ^ b) & (d ^ a))) >> 31;
  }

  private static int sign(long a, long b) {
    long d = a - b;
    return (int) ((d ^ ((a ^ b) & (d ^ a))) >> 63);
  }

  /** All ones unless x is 0. */
  private static int different(int x) {
    return (x | -x) >> 31;
  }

  private static int different(long x) {
    return (int) ((x | -x) >> 63);
  }

  public static int add(int a, int b) {
    return a + b;
  }

  public static long add(long a, long b) {
    return a + b;
  }

  public static int sub(int a, int b) {
    return a - b;
  }

  public static long sub(long a, long b) {
    return a - b;
  }

  public static int mul(int a, int b) {
    return a * b;
  }

  public static long mul(long a, long b) {
    return a * b;
  }

  public static int and(int a, int b) {
    return a & b;
  }

  public static long and(long a, long b) {
    return a & b;
  }

  public static int or(int a, int b) {
    return a | b;
  }

  public static long or(long a, long b) {
    return a | b;
  }

  public static int xor(int a, int b) {
    return a ^ b;
  }

  public static long xor(long a, long b) {
    return a ^ b;
  }

  public static int minS(int a, int b) {
    return Math.min(a, b);
  }

  public static long minS(long a, long b) {
    return Math.min(a, b);
  }

  public static int maxS(int a, int b) {
    return Math.max(a, b);
  }

  public static long maxS(long a, long b) {
    return Math.max(a, b);
  }

  public static int minU(int a, int b) {
    return Math.min(a ^ Integer.MIN_VALUE, b ^ Integer.MIN_VALUE) ^ Integer.MIN_VALUE;
  }

  public static int maxU(int a, int b) {
    return Math.max(a ^ Integer.MIN_VALUE, b ^ Integer.MIN_VALUE) ^ Integer.MIN_VALUE;
  }

  public static int mulHiS(int a, int b) {
    return (int) ((long) a * b >> 32);
  }

  public static int mulHiU(int a, int b) {
    return (int) ((a & 0xffff_ffffL) * (b & 0xffff_ffffL) >>> 32);
  }

  public static int shl(int a, int b) {
    return a << b;
  }

  public static int shrU(int a, int b) {
    return a >>> b;
  }

  public static int shrS(int a, int b) {
    return a >> b;
  }

  public static int mad(int a, int b, int c) {
    return a * b + c;
  }

  public static int mov(int a) {
    return a;
  }

  public static long mov(long a) {
    return a;
  }

  public static int not(int a) {
    return ~a;
  }

  public static long not(long a) {
    return ~a;
  }

  public static int neg(int a) {
    return -a;
  }

  public static long neg(long a) {
    return -a;
  }

  public static int abs(int a) {
    return Math.abs(a);
  }

  public static long abs(long a) {
    return Math.abs(a);
  }

  public static int low16(int a) {
    return a & 0xffff;
  }

  public static int signed16(int a) {
    return (short) a;
  }

  public static int signed8(int a) {
    return (byte) a;
  }

  public static int low8(int a) {
    return a & 0xff;
  }

  public static int popc(int a) {
    return Integer.bitCount(a);
  }

  public static long mad(long a, long b, long c) {
    return a * b + c;
  }

  public static long shl(long a, int b) {
    return a << b;
  }

  public static long shrU(long a, int b) {
    return a >>> b;
  }

  public static long shrS(long a, int b) {
    return a >> b;
  }

  public static long mulWideS(int a, int b) {
    return (long) a * b;
  }

  public static long mulWideU(int a, int b) {
    return (a & 0xffff_ffffL) * (b & 0xffff_ffffL);
  }

  public static long madWideS(int a, int b, long c) {
    return (long) a * b + c;
  }

  public static long madWideU(int a, int b, long c) {
    return (a & 0xffff_ffffL) * (b & 0xffff_ffffL) + c;
  }

  public static long extendS(int a) {
    return a;
  }

  public static long extendU(int a) {
    return a & 0xffff_ffffL;
  }

  public static int low(long a) {
    return (int) a;
  }

  public static int high(long a) {
    return (int) (a >>> 32);
  }

  public static long join(int a, int b) {
    return (a & 0xffff_ffffL) | (long) b << 32;
  }

  public static float add(float a, float b) {
    return a + b;
  }

  public static float sub(float a, float b) {
    return a - b;
  }

  public static float mul(float a, float b) {
    return a * b;
  }

  public static float div(float a, float b) {
    return a / b;
  }

  public static float min(float a, float b) {
    return FloatBits.min(a, b);
  }

  public static float max(float a, float b) {
    return FloatBits.max(a, b);
  }

  public static float fma(float a, float b, float c) {
    return Math.fma(a, b, c);
  }

  public static float mov(float a) {
    return a;
  }

  public static float neg(float a) {
    return -a;
  }

  public static float abs(float a) {
    return Math.abs(a);
  }

  public static float rcp(float a) {
    return 1 / a;
  }

  public static float sqrt(float a) {
    return (float) Math.sqrt(a);
  }

  /** {@code all}: all ones or 0. */
  public static float select(float a, float b, int all) {
    return all != 0 ? a : b;
  }

  public static double add(double a, double b) {
    return a + b;
  }

  public static double sub(double a, double b) {
    return a - b;
  }

  public static double mul(double a, double b) {
    return a * b;
  }

  public static double div(double a, double b) {
    return a / b;
  }

  public static double min(double a, double b) {
    return DoubleBits.min(a, b);
  }

  public static double max(double a, double b) {
    return DoubleBits.max(a, b);
  }

  public static double fma(double a, double b, double c) {
    return Math.fma(a, b, c);
  }

  public static double mov(double a) {
    return a;
  }

  public static double neg(double a) {
    return -a;
  }

  public static double abs(double a) {
    return Math.abs(a);
  }

  public static double rcp(double a) {
    return 1 / a;
  }

  public static double sqrt(double a) {
    return Math.sqrt(a);
  }

  public static double select(double a, double b, int all) {
    return all != 0 ? a : b;
  }

  public static int toBits(float a) {
    return Float.floatToRawIntBits(a);
  }

  public static float ofBits(int a) {
    return Float.intBitsToFloat(a);
  }

  public static float ofS32(int a) {
    return a;
  }

  public static float ofU32(int a) {
    return a & 0xffff_ffffL;
  }

  public static float ofHalf(int a) {
    return Float.float16ToFloat((short) a);
  }

  public static float exp2(float a) {
    return FloatBits.exp2(a);
  }

  public static float canonical(float a) {
    return Float.isNaN(a) ? FloatBits.NAN : a;
  }

  public static int toCanonicalBits(float a) {
    return Float.isNaN(a) ? 0x7fff_ffff : Float.floatToRawIntBits(a);
  }

  public static int eq(int a, int b) {
    return ~different(a ^ b);
  }

  public static int notEq(int a, int b) {
    return different(a ^ b);
  }

  public static int ltS(int a, int b) {
    return sign(a, b);
  }

  public static int notLtS(int a, int b) {
    return ~sign(a, b);
  }

  public static int ltU(int a, int b) {
    return sign(a ^ Integer.MIN_VALUE, b ^ Integer.MIN_VALUE);
  }

  public static int notLtU(int a, int b) {
    return ~sign(a ^ Integer.MIN_VALUE, b ^ Integer.MIN_VALUE);
  }

  public static int eq(long a, long b) {
    return ~different(a ^ b);
  }

  public static int notEq(long a, long b) {
    return different(a ^ b);
  }

  public static int ltS(long a, long b) {
    return sign(a, b);
  }

  public static int notLtS(long a, long b) {
    return ~sign(a, b);
  }

  public static int ltU(long a, long b) {
    return sign(a ^ Long.MIN_VALUE, b ^ Long.MIN_VALUE);
  }

  public static int notLtU(long a, long b) {
    return ~sign(a ^ Long.MIN_VALUE, b ^ Long.MIN_VALUE);
  }

  public static int select(int a, int b, int all) {
    return b ^ ((a ^ b) & all);
  }

  public static long select(long a, long b, int all) {
    return b ^ ((a ^ b) & all);
  }

  /** A predicate as it is. */
  public static int predicate(int all) {
    return all;
  }

  /** All ones where any bit is set: the value of a predicate in one lane. */
  public static int spread(int bit) {
    return (bit | -bit) >> 31;
  }

  public static int field(int a, int shift, int keep) {
    return a >>> shift & keep;
  }

  public static int field(long a, int shift, int keep) {
    return (int) (a >>> shift) & keep;
  }
}
