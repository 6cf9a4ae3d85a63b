package dev.reprise.softgpu.engine.decode;

import static dev.reprise.softgpu.engine.exec.LaneFunction.l;
import static dev.reprise.softgpu.engine.exec.LaneFunction.n;

import dev.reprise.softgpu.engine.exec.LongOp;
import dev.reprise.softgpu.engine.math.LongLanes;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;

/** Integer and logic instructions of 64 bits. */
final class LongDecoder {
  private final Emitter e;

  LongDecoder(Emitter e) {
    this.e = e;
  }

  void arithmetic(Form f) {
    PtxType t = f.type();
    switch (f.opcode()) {
      case "add", "sub", "min", "max", "and", "or", "xor", "div", "rem" -> binary(f, t);
      case "not", "neg", "abs", "cnot", "mov" -> unary(f, t);
      case "mul", "mad" -> multiply(f, t);
      case "shl", "shr" -> shift(f, t);
      default -> throw f.unsupported();
    }
  }

  private void binary(Form f, PtxType t) {
    f.done(3);
    int a = e.longs(f.operand(1), t);
    int b = e.longs(f.operand(2), t);
    boolean signed = t.signed();
    LongOp.Eval eval =
        switch (f.opcode()) {
          case "add" ->
              LongOp.describe((w, d) -> LongLanes.add(d, w.l[a], w.l[b]), "add", l(a), l(b));
          case "sub" ->
              LongOp.describe((w, d) -> LongLanes.sub(d, w.l[a], w.l[b]), "sub", l(a), l(b));
          case "and" ->
              LongOp.describe((w, d) -> LongLanes.and(d, w.l[a], w.l[b]), "and", l(a), l(b));
          case "or" -> LongOp.describe((w, d) -> LongLanes.or(d, w.l[a], w.l[b]), "or", l(a), l(b));
          case "xor" ->
              LongOp.describe((w, d) -> LongLanes.xor(d, w.l[a], w.l[b]), "xor", l(a), l(b));
          case "min" ->
              signed
                  ? LongOp.describe((w, d) -> LongLanes.minS(d, w.l[a], w.l[b]), "minS", l(a), l(b))
                  : (w, d) -> LongLanes.minU(d, w.l[a], w.l[b]);
          case "max" ->
              signed
                  ? LongOp.describe((w, d) -> LongLanes.maxS(d, w.l[a], w.l[b]), "maxS", l(a), l(b))
                  : (w, d) -> LongLanes.maxU(d, w.l[a], w.l[b]);
          case "div" ->
              signed
                  ? (w, d) -> LongLanes.divS(d, w.l[a], w.l[b])
                  : (w, d) -> LongLanes.divU(d, w.l[a], w.l[b]);
          case "rem" ->
              signed
                  ? (w, d) -> LongLanes.remS(d, w.l[a], w.l[b])
                  : (w, d) -> LongLanes.remU(d, w.l[a], w.l[b]);
          default -> throw f.unsupported();
        };
    e.toLong(f.operand(0), eval);
  }

  private void unary(Form f, PtxType t) {
    f.done(2);
    int a = e.longs(f.operand(1), t);
    LongOp.Eval eval =
        switch (f.opcode()) {
          case "mov" -> LongOp.describe((w, d) -> LongLanes.mov(d, w.l[a]), "mov", l(a));
          case "not" -> LongOp.describe((w, d) -> LongLanes.not(d, w.l[a]), "not", l(a));
          case "neg" -> LongOp.describe((w, d) -> LongLanes.neg(d, w.l[a]), "neg", l(a));
          case "abs" -> LongOp.describe((w, d) -> LongLanes.abs(d, w.l[a]), "abs", l(a));
          case "cnot" ->
              (w, d) -> {
                for (int k = 0; k < d.length; k++) {
                  d[k] = w.l[a][k] == 0 ? 1 : 0;
                }
              };
          default -> throw f.unsupported();
        };
    e.toLong(f.operand(0), eval);
  }

  private void multiply(Form f, PtxType t) {
    boolean low = f.require("lo", "hi").equals("lo");
    boolean add = f.opcode().equals("mad");
    f.done(add ? 4 : 3);
    int a = e.longs(f.operand(1), t);
    int b = e.longs(f.operand(2), t);
    boolean signed = t.signed();
    if (add) {
      int c = e.longs(f.operand(3), t);
      e.toLong(
          f.operand(0),
          low
              ? LongOp.describe(
                  (w, d) -> LongLanes.mad(d, w.l[a], w.l[b], w.l[c]), "mad", l(a), l(b), l(c))
              : signed
                  ? (w, d) -> LongLanes.madHiS(d, w.l[a], w.l[b], w.l[c])
                  : (w, d) -> LongLanes.madHiU(d, w.l[a], w.l[b], w.l[c]));
    } else {
      e.toLong(
          f.operand(0),
          low
              ? LongOp.describe((w, d) -> LongLanes.mul(d, w.l[a], w.l[b]), "mul", l(a), l(b))
              : signed
                  ? (w, d) -> LongLanes.mulHiS(d, w.l[a], w.l[b])
                  : (w, d) -> LongLanes.mulHiU(d, w.l[a], w.l[b]));
    }
  }

  private void shift(Form f, PtxType t) {
    f.done(3);
    int a = e.longs(f.operand(1), t);
    boolean left = f.opcode().equals("shl");
    boolean signed = t.signed();
    if (f.operand(2) instanceof Operand.IntImmediate i && i.value() >= 0 && i.value() < 64) {
      int n = (int) i.value();
      e.toLong(
          f.operand(0),
          left
              ? LongOp.describe((w, d) -> LongLanes.shl(d, w.l[a], n), "shl", l(a), n(n))
              : signed
                  ? LongOp.describe((w, d) -> LongLanes.shrS(d, w.l[a], n), "shrS", l(a), n(n))
                  : LongOp.describe((w, d) -> LongLanes.shrU(d, w.l[a], n), "shrU", l(a), n(n)));
      return;
    }
    int b = e.ints(f.operand(2), PtxType.U32);
    e.toLong(
        f.operand(0),
        left
            ? (w, d) -> LongLanes.shl(d, w.l[a], w.i[b])
            : signed
                ? (w, d) -> LongLanes.shrS(d, w.l[a], w.i[b])
                : (w, d) -> LongLanes.shrU(d, w.l[a], w.i[b]));
  }
}
