package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.engine.math.FloatBits;
import dev.reprise.softgpu.engine.math.HalfFormat;
import dev.reprise.softgpu.engine.math.NarrowFormat;
import dev.reprise.softgpu.engine.math.RoundingMode;

/**
 * Elements of matrix fragments. All of them are exact in double, in which products are summed, so
 * that a result is rounded once more than the exact sum at most.
 */
public enum MatrixElement {
  F16(16),
  BF16(16),
  TF32(32),
  F32(32),
  F64(64),
  E4M3(8),
  E5M2(8),
  /** In the low six bits of a byte. */
  E3M2(8),
  E2M3(8),
  E2M1(4),
  /** In the middle of a byte. */
  E2M1_IN_BYTE(8),
  S8(8),
  U8(8),
  S4(4),
  U4(4),
  B1(1),
  S32(32);

  private final int bits;

  MatrixElement(int bits) {
    this.bits = bits;
  }

  public int bits() {
    return bits;
  }

  /** Elements in a register of 32 bits, or in one of 64 bits for f64. */
  public int perRegister() {
    return bits == 64 ? 1 : 32 / bits;
  }

  public boolean integral() {
    return switch (this) {
      case S8, U8, S4, U4, B1, S32 -> true;
      default -> false;
    };
  }

  /** The value of element {@code part} of a register of 32 bits. */
  double decode(int register, int part) {
    int b = register >>> part * bits;
    return switch (this) {
      case F16 -> HalfFormat.F16.decode(b);
      case BF16 -> HalfFormat.BF16.decode(b);
      // The low 13 bits of a tf32 do not count.
      case TF32 -> Float.intBitsToFloat(b & 0xffff_e000);
      case F32 -> Float.intBitsToFloat(b);
      case E4M3 -> NarrowFormat.E4M3.decode(b & 0xff);
      case E5M2 -> NarrowFormat.E5M2.decode(b & 0xff);
      case E3M2 -> NarrowFormat.E3M2.decode(b & 0x3f);
      case E2M3 -> NarrowFormat.E2M3.decode(b & 0x3f);
      case E2M1 -> NarrowFormat.E2M1.decode(b & 0xf);
      case E2M1_IN_BYTE -> NarrowFormat.E2M1.decode(b >>> 2 & 0xf);
      case S8 -> (byte) b;
      case U8 -> b & 0xff;
      case S4 -> b << 28 >> 28;
      case U4 -> b & 0xf;
      case B1 -> b & 1;
      case S32 -> b;
      case F64 -> throw new IllegalStateException("f64 lies in registers of its own");
    };
  }

  /** The bits of a result, at the place of element {@code part} of a register. */
  int encode(double v, int part, boolean saturate) {
    int b =
        switch (this) {
          case F16 -> HalfFormat.F16.encode(v, RoundingMode.RN);
          case F32 -> Float.floatToRawIntBits(Double.isNaN(v) ? FloatBits.NAN : (float) v);
          case S32 ->
              saturate
                  ? (int) Math.clamp((long) v, Integer.MIN_VALUE, Integer.MAX_VALUE)
                  : (int) (long) v;
          default -> throw new IllegalStateException(this + " is no accumulator");
        };
    return b << part * bits;
  }
}
