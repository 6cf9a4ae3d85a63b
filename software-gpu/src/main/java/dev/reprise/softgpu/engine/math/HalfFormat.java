package dev.reprise.softgpu.engine.math;

/**
 * The two 16-bit formats: bits to float, exactly, and double to bits, rounded once. A packed pair
 * has the first value in the low half.
 */
public enum HalfFormat {
  F16 {
    @Override
    public float decode(int bits) {
      return Float.float16ToFloat((short) bits);
    }

    @Override
    int exponentMask() {
      return 0x7c00;
    }

    @Override
    public int encode(double v, RoundingMode mode) {
      return Rounding.toHalf(v, mode);
    }

    @Override
    public int encode(float v) {
      return Float.isNaN(v) ? 0x7fff : Float.floatToFloat16(v) & 0xffff;
    }

    @Override
    public int encodeRandomly(float v, int random) {
      return encode((float) Rounding.randomly(Rounding.Format.HALF, v, random & 0x1fff, 13));
    }
  },
  BF16 {
    @Override
    public float decode(int bits) {
      return Float.intBitsToFloat(bits << 16);
    }

    @Override
    int exponentMask() {
      return 0x7f80;
    }

    @Override
    public int encode(double v, RoundingMode mode) {
      return Rounding.toBfloat(v, mode);
    }

    @Override
    public int encode(float v) {
      if (Float.isNaN(v)) {
        return 0x7fff;
      }
      int bits = Float.floatToRawIntBits(v);
      return bits + 0x7fff + (bits >>> 16 & 1) >>> 16;
    }

    @Override
    public int encodeRandomly(float v, int random) {
      return encode((float) Rounding.randomly(Rounding.Format.BFLOAT, v, random & 0xffff, 16));
    }
  };

  /** What copies of tensors put outside their bounds; {@code fma.oob} gives 0 for it. */
  private static final int OUT_OF_BOUNDS = 0x7ff7;

  /** Value of the low 16 bits. */
  public abstract float decode(int bits);

  public abstract int encode(double v, RoundingMode mode);

  abstract int exponentMask();

  /** A subnormal value becomes zero of its sign. */
  public int flush(int a) {
    return (a & exponentMask()) == 0 ? a & 0x8000 : a & 0xffff;
  }

  public int flushPair(int a) {
    return flush(a) | flush(a >>> 16) << 16;
  }

  /** To nearest even. */
  public abstract int encode(float v);

  /** Rounded by random bits: the lowest 13 of them to f16, 16 to bf16. */
  public abstract int encodeRandomly(float v, int random);

  /** Function of one operand. */
  @FunctionalInterface
  public interface Unary {
    float apply(float a);
  }

  /**
   * Function of two operands. A sum, product or quotient computed in float and then rounded to 16
   * bits equals the one rounded once, as 24 ≥ 2·11 + 2 bits (Figueroa, "When is double rounding
   * innocuous?").
   */
  @FunctionalInterface
  public interface Binary {
    float apply(float a, float b);
  }

  public int apply(int a, Unary op) {
    return encode(op.apply(decode(a)));
  }

  public int apply(int a, int b, Binary op) {
    return encode(op.apply(decode(a), decode(b)));
  }

  public int applyPair(int a, Unary op) {
    return apply(a, op) | apply(a >>> 16, op) << 16;
  }

  public int applyPair(int a, int b, Binary op) {
    return apply(a, b, op) | apply(a >>> 16, b >>> 16, op) << 16;
  }

  public int fma(int a, int b, int c) {
    return fma(a, b, c, RoundingMode.RN);
  }

  public int fmaPair(int a, int b, int c) {
    return fma(a, b, c) | fma(a >>> 16, b >>> 16, c >>> 16) << 16;
  }

  public int fma(int a, int b, int c, RoundingMode mode) {
    return encode(Rounding.fmaOdd(decode(a), decode(b), decode(c), mode), mode);
  }

  /** Whether one of two factors lies out of bounds. */
  public boolean outside(int a, int b) {
    return (a & 0xffff) == OUT_OF_BOUNDS || (b & 0xffff) == OUT_OF_BOUNDS;
  }
}
