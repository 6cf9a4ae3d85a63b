package dev.reprise.softgpu.engine.decode;

import static dev.reprise.softgpu.engine.exec.LaneFunction.d;

import dev.reprise.softgpu.engine.exec.DoubleOp;
import dev.reprise.softgpu.engine.math.DoubleBits;
import dev.reprise.softgpu.engine.math.DoubleLanes;
import dev.reprise.softgpu.engine.math.Rounding;
import dev.reprise.softgpu.engine.math.RoundingMode;

/** Double-precision instructions. */
final class DoubleDecoder {
  private final Emitter e;

  DoubleDecoder(Emitter e) {
    this.e = e;
  }

  void arithmetic(Form f) {
    e.toDouble(
        f.operand(0),
        switch (f.opcode()) {
          case "add", "sub", "mul", "div", "min", "max", "copysign" -> binary(f);
          case "fma", "mad" -> fused(f);
          default -> unary(f);
        });
  }

  private DoubleOp.Eval binary(Form f) {
    RoundingMode r =
        switch (f.opcode()) {
          case "min", "max", "copysign" -> RoundingMode.RN;
          default -> f.rounding();
        };
    f.done(3);
    int a = e.doubles(f.operand(1));
    int b = e.doubles(f.operand(2));
    if (r != RoundingMode.RN) {
      return switch (f.opcode()) {
        case "add" -> (w, d) -> DoubleLanes.map(d, w.d[a], w.d[b], (x, y) -> Rounding.add(x, y, r));
        case "sub" ->
            (w, d) -> DoubleLanes.map(d, w.d[a], w.d[b], (x, y) -> Rounding.add(x, -y, r));
        case "mul" -> (w, d) -> DoubleLanes.map(d, w.d[a], w.d[b], (x, y) -> Rounding.mul(x, y, r));
        case "div" -> (w, d) -> DoubleLanes.map(d, w.d[a], w.d[b], (x, y) -> Rounding.div(x, y, r));
        default -> throw f.unsupported();
      };
    }
    return switch (f.opcode()) {
      case "add" ->
          DoubleOp.describe((w, d) -> DoubleLanes.add(d, w.d[a], w.d[b]), "add", d(a), d(b));
      case "sub" ->
          DoubleOp.describe((w, d) -> DoubleLanes.sub(d, w.d[a], w.d[b]), "sub", d(a), d(b));
      case "mul" ->
          DoubleOp.describe((w, d) -> DoubleLanes.mul(d, w.d[a], w.d[b]), "mul", d(a), d(b));
      case "div" ->
          DoubleOp.describe((w, d) -> DoubleLanes.div(d, w.d[a], w.d[b]), "div", d(a), d(b));
      case "min" ->
          DoubleOp.describe((w, d) -> DoubleLanes.min(d, w.d[a], w.d[b]), "min", d(a), d(b));
      case "max" ->
          DoubleOp.describe((w, d) -> DoubleLanes.max(d, w.d[a], w.d[b]), "max", d(a), d(b));
      case "copysign" ->
          (w, d) -> DoubleLanes.map(d, w.d[a], w.d[b], (x, y) -> Math.copySign(y, x));
      default -> throw f.unsupported();
    };
  }

  private DoubleOp.Eval fused(Form f) {
    RoundingMode r = f.rounding();
    f.done(4);
    int a = e.doubles(f.operand(1));
    int b = e.doubles(f.operand(2));
    int c = e.doubles(f.operand(3));
    return r == RoundingMode.RN
        ? DoubleOp.describe(
            (w, d) -> DoubleLanes.fma(d, w.d[a], w.d[b], w.d[c]), "fma", d(a), d(b), d(c))
        : (w, d) ->
            DoubleLanes.map(d, w.d[a], w.d[b], w.d[c], (x, y, z) -> Rounding.fma(x, y, z, r));
  }

  private DoubleOp.Eval unary(Form f) {
    boolean approximate = f.take("approx");
    // The approximate forms come with .ftz only.
    if (approximate) {
      f.ignore("ftz");
    }
    RoundingMode r =
        switch (f.opcode()) {
          case "rcp", "sqrt" -> approximate ? RoundingMode.RN : f.rounding();
          default -> RoundingMode.RN;
        };
    f.done(2);
    int a = e.doubles(f.operand(1));
    if (r != RoundingMode.RN) {
      return f.opcode().equals("rcp")
          ? (w, d) -> DoubleLanes.map(d, w.d[a], x -> Rounding.div(1, x, r))
          : (w, d) -> DoubleLanes.map(d, w.d[a], x -> Rounding.sqrt(x, r));
    }
    return switch (f.opcode()) {
      case "mov" -> DoubleOp.describe((w, d) -> DoubleLanes.mov(d, w.d[a]), "mov", d(a));
      case "neg" -> DoubleOp.describe((w, d) -> DoubleLanes.neg(d, w.d[a]), "neg", d(a));
      case "abs" -> DoubleOp.describe((w, d) -> DoubleLanes.abs(d, w.d[a]), "abs", d(a));
      case "rcp" ->
          approximate
              ? (w, d) -> DoubleLanes.map(d, w.d[a], DoubleBits::approximateReciprocal)
              : DoubleOp.describe((w, d) -> DoubleLanes.rcp(d, w.d[a]), "rcp", d(a));
      case "rsqrt" -> (w, d) -> DoubleLanes.map(d, w.d[a], DoubleBits::approximateInverseRoot);
      case "sqrt" -> DoubleOp.describe((w, d) -> DoubleLanes.sqrt(d, w.d[a]), "sqrt", d(a));
      default -> throw f.unsupported();
    };
  }
}
