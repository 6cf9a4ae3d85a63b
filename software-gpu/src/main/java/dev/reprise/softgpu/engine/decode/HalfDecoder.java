package dev.reprise.softgpu.engine.decode;

import static dev.reprise.softgpu.engine.exec.LaneFunction.i;

import dev.reprise.softgpu.engine.exec.IntOp;
import dev.reprise.softgpu.engine.math.FloatBits;
import dev.reprise.softgpu.engine.math.HalfFormat;
import dev.reprise.softgpu.engine.math.IntLanes;
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
    // Subnormal halves are normal floats; flushing them is not modelled, so .ftz is refused.
    f.ignore("rn", "approx", "noftz");
    boolean sat = f.take("sat");
    boolean relu = f.take("relu");
    IntOp.Eval eval =
        switch (f.opcode()) {
          case "add", "sub", "mul", "min", "max" -> binary(f, t, h, pair);
          case "fma" -> {
            f.done(4);
            int a = e.ints(f.operand(1), t);
            int b = e.ints(f.operand(2), t);
            int c = e.ints(f.operand(3), t);
            yield pair
                ? (w, d) -> IntLanes.map(d, w.i[a], w.i[b], w.i[c], h::fmaPair)
                : (w, d) -> IntLanes.map(d, w.i[a], w.i[b], w.i[c], h::fma);
          }
          default -> unary(f, t, h, pair);
        };
    int to = e.intDestination(f.operand(0), t, true);
    e.emit(new IntOp(to, eval));
    if (sat) {
      HalfFormat.Unary clamp = x -> x > 0 ? Math.min(x, 1) : 0;
      post(h, pair, to, clamp);
    }
    if (relu) {
      post(h, pair, to, x -> Float.isNaN(x) ? x : x > 0 ? x : 0);
    }
    e.end();
  }

  private void post(HalfFormat h, boolean pair, int to, HalfFormat.Unary op) {
    e.emit(
        new IntOp(
            to,
            pair
                ? (w, d) -> IntLanes.map(d, w.i[to], x -> h.applyPair(x, op))
                : (w, d) -> IntLanes.map(d, w.i[to], x -> h.apply(x, op))));
  }

  private IntOp.Eval binary(Form f, PtxType t, HalfFormat h, boolean pair) {
    boolean nan = f.take("NaN");
    f.done(3);
    int a = e.ints(f.operand(1), t);
    int b = e.ints(f.operand(2), t);
    HalfFormat.Binary op =
        switch (f.opcode()) {
          case "add" -> (x, y) -> x + y;
          case "sub" -> (x, y) -> x - y;
          case "mul" -> (x, y) -> x * y;
          case "min" -> nan ? Math::min : FloatBits::min;
          case "max" -> nan ? Math::max : FloatBits::max;
          default -> throw f.unsupported();
        };
    return pair
        ? (w, d) -> IntLanes.map(d, w.i[a], w.i[b], (x, y) -> h.applyPair(x, y, op))
        : (w, d) -> IntLanes.map(d, w.i[a], w.i[b], (x, y) -> h.apply(x, y, op));
  }

  private IntOp.Eval unary(Form f, PtxType t, HalfFormat h, boolean pair) {
    f.done(2);
    int a = e.ints(f.operand(1), t);
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
