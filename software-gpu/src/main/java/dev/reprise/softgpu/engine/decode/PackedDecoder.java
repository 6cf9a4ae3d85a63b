package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.math.FloatBits;
import dev.reprise.softgpu.engine.math.FloatLanes;
import dev.reprise.softgpu.engine.math.IntLanes;
import dev.reprise.softgpu.engine.math.Rounding;
import dev.reprise.softgpu.engine.math.RoundingMode;
import dev.reprise.softgpu.ptx.PtxType;

/** Arithmetic on two 16-bit integers in 32 bits, or on two floats in 64 bits. */
final class PackedDecoder {
  private final Emitter e;

  PackedDecoder(Emitter e) {
    this.e = e;
  }

  /** Decodes the instruction if it has a packed type that {@link PtxType} does not know. */
  boolean arithmetic(Form f) {
    if (f.take("s16x2")) {
      integers(f, true);
    } else if (f.take("u16x2")) {
      integers(f, false);
    } else if (f.take("f32x2")) {
      floats(f);
    } else {
      return false;
    }
    return true;
  }

  private void integers(Form f, boolean signed) {
    IntLanes.Binary op =
        switch (f.opcode()) {
          case "add" -> (x, y) -> x + y;
          case "min" -> Math::min;
          case "max" -> Math::max;
          default -> throw f.unsupported();
        };
    boolean relu = signed && !f.opcode().equals("add") && f.take("relu");
    f.done(3);
    int a = e.ints(f.operand(1), PtxType.B32);
    int b = e.ints(f.operand(2), PtxType.B32);
    e.toInt(
        f.operand(0),
        PtxType.B32,
        (w, d) ->
            IntLanes.map(
                d,
                w.i[a],
                w.i[b],
                (x, y) ->
                    half(op, x, y, signed, relu)
                        | half(op, x >>> 16, y >>> 16, signed, relu) << 16));
  }

  private static int half(IntLanes.Binary op, int x, int y, boolean signed, boolean relu) {
    int r = signed ? op.apply((short) x, (short) y) : op.apply(x & 0xffff, y & 0xffff);
    return (relu ? Math.max(r, 0) : r) & 0xffff;
  }

  private void floats(Form f) {
    boolean ftz = f.take("ftz");
    RoundingMode r = f.rounding();
    boolean fused = f.opcode().equals("fma");
    f.done(fused ? 4 : 3);
    int a = e.longs(f.operand(1), PtxType.B64);
    int b = e.longs(f.operand(2), PtxType.B64);
    int c = fused ? e.longs(f.operand(3), PtxType.B64) : b;
    FloatLanes.Ternary op =
        switch (f.opcode()) {
          case "add" -> (x, y, z) -> Rounding.add(x, y, r);
          case "sub" -> (x, y, z) -> Rounding.add(x, -y, r);
          case "mul" -> (x, y, z) -> Rounding.mul(x, y, r);
          case "fma" -> (x, y, z) -> Rounding.fma(x, y, z, r);
          default -> throw f.unsupported();
        };
    e.toLong(
        f.operand(0),
        (w, d) -> {
          for (int k = 0; k < d.length; k++) {
            long x = w.l[a][k];
            long y = w.l[b][k];
            long z = w.l[c][k];
            long low = half(op, (int) x, (int) y, (int) z, ftz) & 0xffff_ffffL;
            long high = half(op, (int) (x >>> 32), (int) (y >>> 32), (int) (z >>> 32), ftz);
            d[k] = low | high << 32;
          }
        });
  }

  private static int half(FloatLanes.Ternary op, int x, int y, int z, boolean ftz) {
    float a = Float.intBitsToFloat(x);
    float b = Float.intBitsToFloat(y);
    float c = Float.intBitsToFloat(z);
    float r =
        ftz
            ? FloatBits.flush(op.apply(FloatBits.flush(a), FloatBits.flush(b), FloatBits.flush(c)))
            : op.apply(a, b, c);
    return Float.floatToRawIntBits(Float.isNaN(r) ? FloatBits.NAN : r);
  }
}
