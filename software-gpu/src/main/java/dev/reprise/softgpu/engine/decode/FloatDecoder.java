package dev.reprise.softgpu.engine.decode;

import static dev.reprise.softgpu.engine.exec.LaneFunction.f;

import dev.reprise.softgpu.engine.exec.FloatOp;
import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.engine.math.FloatBits;
import dev.reprise.softgpu.engine.math.FloatLanes;
import dev.reprise.softgpu.engine.math.HalfFormat;
import dev.reprise.softgpu.engine.math.Rounding;
import dev.reprise.softgpu.engine.math.RoundingMode;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;

/** Single-precision instructions (PTX ISA, "Floating Point Instructions"). */
final class FloatDecoder {
  private final Emitter e;

  FloatDecoder(Emitter e) {
    this.e = e;
  }

  void arithmetic(Form f) {
    boolean ftz = f.take("ftz");
    boolean sat = f.take("sat");
    if (f.typeCount() > 2) {
      throw f.unsupported();
    }
    FloatOp.Eval eval =
        switch (f.opcode()) {
          case "add", "sub", "mul", "div", "min", "max", "copysign" -> binary(f, ftz);
          case "fma", "mad" -> fused(f, ftz);
          default -> unary(f, ftz);
        };
    int to = e.floatDestination(f.operand(0), !f.opcode().equals("mov"));
    e.emit(new FloatOp(to, eval));
    if (ftz) {
      e.emit(
          new FloatOp(
              to, FloatOp.describe((w, d) -> FloatLanes.flush(d, w.f[to]), "flush", f(to))));
    }
    if (sat) {
      e.emit(
          new FloatOp(
              to,
              (w, d) -> {
                FloatLanes.mov(d, w.f[to]);
                FloatLanes.saturate(d);
              }));
    }
    e.end();
  }

  private int source(Operand o, boolean ftz) {
    int a = e.floats(o);
    if (!ftz) {
      return a;
    }
    int temp = e.temporary(RegisterKind.FLOAT);
    e.emit(
        new FloatOp(temp, FloatOp.describe((w, d) -> FloatLanes.flush(d, w.f[a]), "flush", f(a))));
    return temp;
  }

  /** An operand that {@code add.f32.f16} and its like take in another type. */
  private int mixed(Form f, int k, boolean ftz) {
    if (f.typeCount() == 1) {
      return source(f.operand(k), ftz);
    }
    PtxType t = f.type(1);
    boolean takes =
        switch (f.opcode()) {
          case "add", "sub", "fma" -> t == PtxType.F16 || t == PtxType.BF16;
          default -> false;
        };
    if (!takes) {
      throw f.unsupported();
    }
    HalfFormat h = HalfDecoder.format(t);
    int a = e.ints(f.operand(k), t);
    int temp = e.temporary(RegisterKind.FLOAT);
    e.emit(
        new FloatOp(
            temp,
            (w, d) -> {
              for (int lane = 0; lane < d.length; lane++) {
                d[lane] = h.decode(w.i[a][lane]);
              }
            }));
    return temp;
  }

  private FloatOp.Eval binary(Form f, boolean ftz) {
    boolean nan = false;
    RoundingMode mode = RoundingMode.RN;
    switch (f.opcode()) {
      case "div" -> {
        // The approximate forms are computed exactly, which is within their error.
        f.ignore("approx", "full");
        mode = f.rounding();
      }
      case "min", "max" -> {
        nan = f.take("NaN");
        if (f.take("xorsign")) {
          if (!f.take("abs")) {
            throw f.unsupported();
          }
          return xorSign(f, ftz, nan);
        }
        if (f.operands() == 4) {
          return ofThree(f, ftz, nan);
        }
      }
      case "copysign" -> {}
      default -> mode = f.rounding();
    }
    f.done(3);
    int a = mixed(f, 1, ftz);
    int b = source(f.operand(2), ftz);
    RoundingMode r = mode;
    if (r != RoundingMode.RN) {
      return switch (f.opcode()) {
        case "add" -> (w, d) -> FloatLanes.map(d, w.f[a], w.f[b], (x, y) -> Rounding.add(x, y, r));
        case "sub" -> (w, d) -> FloatLanes.map(d, w.f[a], w.f[b], (x, y) -> Rounding.add(x, -y, r));
        case "mul" -> (w, d) -> FloatLanes.map(d, w.f[a], w.f[b], (x, y) -> Rounding.mul(x, y, r));
        case "div" -> (w, d) -> FloatLanes.map(d, w.f[a], w.f[b], (x, y) -> Rounding.div(x, y, r));
        default -> throw f.unsupported();
      };
    }
    if (nan) {
      return f.opcode().equals("min")
          ? (w, d) -> FloatLanes.map(d, w.f[a], w.f[b], Math::min)
          : (w, d) -> FloatLanes.map(d, w.f[a], w.f[b], Math::max);
    }
    return switch (f.opcode()) {
      case "add" ->
          FloatOp.describe((w, d) -> FloatLanes.add(d, w.f[a], w.f[b]), "add", f(a), f(b));
      case "sub" ->
          FloatOp.describe((w, d) -> FloatLanes.sub(d, w.f[a], w.f[b]), "sub", f(a), f(b));
      case "mul" ->
          FloatOp.describe((w, d) -> FloatLanes.mul(d, w.f[a], w.f[b]), "mul", f(a), f(b));
      case "div" ->
          FloatOp.describe((w, d) -> FloatLanes.div(d, w.f[a], w.f[b]), "div", f(a), f(b));
      case "min" ->
          FloatOp.describe((w, d) -> FloatLanes.min(d, w.f[a], w.f[b]), "min", f(a), f(b));
      case "max" ->
          FloatOp.describe((w, d) -> FloatLanes.max(d, w.f[a], w.f[b]), "max", f(a), f(b));
      // The first operand gives the sign.
      case "copysign" -> (w, d) -> FloatLanes.map(d, w.f[a], w.f[b], (x, y) -> Math.copySign(y, x));
      default -> throw f.unsupported();
    };
  }

  private static FloatLanes.Binary extreme(Form f, boolean nan) {
    if (f.opcode().equals("min")) {
      return nan ? Math::min : FloatBits::min;
    }
    return nan ? Math::max : FloatBits::max;
  }

  private FloatOp.Eval xorSign(Form f, boolean ftz, boolean nan) {
    f.done(3);
    int a = source(f.operand(1), ftz);
    int b = source(f.operand(2), ftz);
    FloatLanes.Binary op = extreme(f, nan);
    return (w, d) -> FloatLanes.map(d, w.f[a], w.f[b], (x, y) -> FloatBits.xorSign(x, y, op));
  }

  private FloatOp.Eval ofThree(Form f, boolean ftz, boolean nan) {
    boolean abs = f.take("abs");
    f.done(4);
    int a = source(f.operand(1), ftz);
    int b = source(f.operand(2), ftz);
    int c = source(f.operand(3), ftz);
    FloatLanes.Binary op = extreme(f, nan);
    return abs
        ? (w, d) ->
            FloatLanes.map(
                d,
                w.f[a],
                w.f[b],
                w.f[c],
                (x, y, z) -> op.apply(op.apply(Math.abs(x), Math.abs(y)), Math.abs(z)))
        : (w, d) ->
            FloatLanes.map(d, w.f[a], w.f[b], w.f[c], (x, y, z) -> op.apply(op.apply(x, y), z));
  }

  private FloatOp.Eval fused(Form f, boolean ftz) {
    RoundingMode r = f.rounding();
    f.done(4);
    int a = mixed(f, 1, ftz);
    int b = mixed(f, 2, ftz);
    int c = source(f.operand(3), ftz);
    return r == RoundingMode.RN
        ? FloatOp.describe(
            (w, d) -> FloatLanes.fma(d, w.f[a], w.f[b], w.f[c]), "fma", f(a), f(b), f(c))
        : (w, d) ->
            FloatLanes.map(d, w.f[a], w.f[b], w.f[c], (x, y, z) -> Rounding.fma(x, y, z, r));
  }

  private FloatOp.Eval unary(Form f, boolean ftz) {
    boolean approximate = f.take("approx");
    RoundingMode r =
        switch (f.opcode()) {
          case "rcp", "sqrt" -> approximate ? RoundingMode.RN : f.rounding();
          default -> RoundingMode.RN;
        };
    f.done(2);
    int a = source(f.operand(1), ftz);
    if (r != RoundingMode.RN) {
      return f.opcode().equals("rcp")
          ? (w, d) -> FloatLanes.map(d, w.f[a], x -> Rounding.div(1, x, r))
          : (w, d) -> FloatLanes.map(d, w.f[a], x -> Rounding.sqrt(x, r));
    }
    return switch (f.opcode()) {
      case "mov" -> FloatOp.describe((w, d) -> FloatLanes.mov(d, w.f[a]), "mov", f(a));
      case "neg" -> FloatOp.describe((w, d) -> FloatLanes.neg(d, w.f[a]), "neg", f(a));
      case "abs" -> FloatOp.describe((w, d) -> FloatLanes.abs(d, w.f[a]), "abs", f(a));
      case "rcp" -> FloatOp.describe((w, d) -> FloatLanes.rcp(d, w.f[a]), "rcp", f(a));
      case "sqrt" -> FloatOp.describe((w, d) -> FloatLanes.sqrt(d, w.f[a]), "sqrt", f(a));
      case "rsqrt" -> (w, d) -> FloatLanes.map(d, w.f[a], FloatBits::rsqrt);
      case "ex2" -> FloatOp.describe((w, d) -> FloatLanes.exp2(d, w.f[a]), "exp2", f(a));
      case "lg2" -> (w, d) -> FloatLanes.map(d, w.f[a], FloatBits::log2);
      case "sin" -> (w, d) -> FloatLanes.map(d, w.f[a], x -> (float) Math.sin(x));
      case "cos" -> (w, d) -> FloatLanes.map(d, w.f[a], x -> (float) Math.cos(x));
      case "tanh" -> (w, d) -> FloatLanes.map(d, w.f[a], x -> (float) Math.tanh(x));
      default -> throw f.unsupported();
    };
  }
}
