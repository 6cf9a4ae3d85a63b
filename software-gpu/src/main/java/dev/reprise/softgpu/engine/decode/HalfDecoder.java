package dev.reprise.softgpu.engine.decode;

import static dev.reprise.softgpu.engine.exec.LaneFunction.i;

import dev.reprise.softgpu.engine.exec.IntOp;
import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.engine.math.FloatBits;
import dev.reprise.softgpu.engine.math.HalfFormat;
import dev.reprise.softgpu.engine.math.IntLanes;
import dev.reprise.softgpu.engine.math.RoundingMode;
import dev.reprise.softgpu.ptx.PtxType;

/**
 * Instructions on f16 and bf16, single and packed (PTX ISA, "Half Precision Floating Point
 * Instructions").
 */
final class HalfDecoder {
  private final Emitter e;

  HalfDecoder(Emitter e) {
    this.e = e;
  }

  static HalfFormat format(PtxType t) {
    return t == PtxType.F16 || t == PtxType.F16X2 ? HalfFormat.F16 : HalfFormat.BF16;
  }

  static boolean packed(PtxType t) {
    return t.bytes() == 4;
  }

  void arithmetic(Form f) {
    PtxType t = f.type();
    HalfFormat h = format(t);
    boolean pair = packed(t);
    RoundingMode mode = f.opcode().equals("fma") ? f.rounding() : RoundingMode.RN;
    f.ignore("rn", "approx", "noftz");
    boolean ftz = f.take("ftz");
    boolean sat = f.take("sat");
    boolean relu = f.take("relu");
    IntOp.Eval eval =
        switch (f.opcode()) {
          case "add", "sub", "mul", "min", "max" -> binary(f, t, h, pair, ftz);
          case "fma" -> fused(f, t, h, pair, ftz, mode);
          default -> unary(f, t, h, pair, ftz);
        };
    int to = e.intDestination(f.operand(0), t, true);
    e.emit(new IntOp(to, eval));
    if (ftz) {
      e.emit(new IntOp(to, flushed(to, h, pair)));
    }
    if (sat) {
      HalfFormat.Unary clamp = x -> x > 0 ? Math.min(x, 1) : 0;
      post(h, pair, to, clamp);
    }
    if (relu) {
      post(h, pair, to, x -> Float.isNaN(x) ? x : x > 0 ? x : 0);
    }
    e.end();
  }

  private IntOp.Eval fused(
      Form f, PtxType t, HalfFormat h, boolean pair, boolean ftz, RoundingMode mode) {
    boolean guarded = f.take("oob");
    f.done(4);
    int a = source(f, 1, t, h, ftz);
    int b = source(f, 2, t, h, ftz);
    int c = source(f, 3, t, h, ftz);
    if (mode == RoundingMode.RN && !guarded) {
      return pair
          ? (w, d) -> IntLanes.map(d, w.i[a], w.i[b], w.i[c], h::fmaPair)
          : (w, d) -> IntLanes.map(d, w.i[a], w.i[b], w.i[c], h::fma);
    }
    IntLanes.Ternary op = (x, y, z) -> guarded && h.outside(x, y) ? 0 : h.fma(x, y, z, mode);
    IntLanes.Ternary both =
        (x, y, z) -> op.apply(x, y, z) | op.apply(x >>> 16, y >>> 16, z >>> 16) << 16;
    return (w, d) -> IntLanes.map(d, w.i[a], w.i[b], w.i[c], pair ? both : op);
  }

  private static IntOp.Eval flushed(int a, HalfFormat h, boolean pair) {
    return pair
        ? (w, d) -> IntLanes.map(d, w.i[a], h::flushPair)
        : (w, d) -> IntLanes.map(d, w.i[a], h::flush);
  }

  /** The operand, with subnormal values taken as zero under {@code .ftz}. */
  private int source(Form f, int k, PtxType t, HalfFormat h, boolean ftz) {
    int a = e.ints(f.operand(k), t);
    if (!ftz) {
      return a;
    }
    int temp = e.temporary(RegisterKind.INT);
    e.emit(new IntOp(temp, flushed(a, h, packed(t))));
    return temp;
  }

  private void post(HalfFormat h, boolean pair, int to, HalfFormat.Unary op) {
    e.emit(
        new IntOp(
            to,
            pair
                ? (w, d) -> IntLanes.map(d, w.i[to], x -> h.applyPair(x, op))
                : (w, d) -> IntLanes.map(d, w.i[to], x -> h.apply(x, op))));
  }

  private IntOp.Eval binary(Form f, PtxType t, HalfFormat h, boolean pair, boolean ftz) {
    boolean nan = f.take("NaN");
    boolean xorsign = f.take("xorsign");
    if (xorsign != f.take("abs")) {
      throw f.unsupported();
    }
    f.done(3);
    int a = source(f, 1, t, h, ftz);
    int b = source(f, 2, t, h, ftz);
    HalfFormat.Binary plain =
        switch (f.opcode()) {
          case "add" -> (x, y) -> x + y;
          case "sub" -> (x, y) -> x - y;
          case "mul" -> (x, y) -> x * y;
          case "min" -> nan ? Math::min : FloatBits::min;
          case "max" -> nan ? Math::max : FloatBits::max;
          default -> throw f.unsupported();
        };
    HalfFormat.Binary op = xorsign ? (x, y) -> FloatBits.xorSign(x, y, plain::apply) : plain;
    return pair
        ? (w, d) -> IntLanes.map(d, w.i[a], w.i[b], (x, y) -> h.applyPair(x, y, op))
        : (w, d) -> IntLanes.map(d, w.i[a], w.i[b], (x, y) -> h.apply(x, y, op));
  }

  private IntOp.Eval unary(Form f, PtxType t, HalfFormat h, boolean pair, boolean ftz) {
    f.done(2);
    int a = source(f, 1, t, h, ftz);
    int signs = pair ? 0x8000_8000 : 0x8000;
    return switch (f.opcode()) {
      case "mov" -> IntOp.describe((w, d) -> IntLanes.mov(d, w.i[a]), "mov", i(a));
      case "neg" -> (w, d) -> IntLanes.map(d, w.i[a], x -> x ^ signs);
      case "abs" -> (w, d) -> IntLanes.map(d, w.i[a], x -> x & ~signs);
      case "ex2" -> map(h, pair, a, FloatBits::exp2);
      case "tanh" -> map(h, pair, a, x -> (float) Math.tanh(x));
      default -> throw f.unsupported();
    };
  }

  private static IntOp.Eval map(HalfFormat h, boolean pair, int a, HalfFormat.Unary op) {
    return pair
        ? (w, d) -> IntLanes.map(d, w.i[a], x -> h.applyPair(x, op))
        : (w, d) -> IntLanes.map(d, w.i[a], x -> h.apply(x, op));
  }
}
