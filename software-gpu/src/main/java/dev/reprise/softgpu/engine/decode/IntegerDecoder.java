package dev.reprise.softgpu.engine.decode;

import static dev.reprise.softgpu.engine.exec.LaneFunction.i;
import static dev.reprise.softgpu.engine.exec.LaneFunction.l;
import static dev.reprise.softgpu.engine.exec.LaneFunction.n;
import static dev.reprise.softgpu.ptx.PtxType.B32;
import static dev.reprise.softgpu.ptx.PtxType.S32;
import static dev.reprise.softgpu.ptx.PtxType.U32;

import dev.reprise.softgpu.engine.exec.IntOp;
import dev.reprise.softgpu.engine.exec.LongOp;
import dev.reprise.softgpu.engine.exec.PredicateOp;
import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.engine.math.IntBits;
import dev.reprise.softgpu.engine.math.IntLanes;
import dev.reprise.softgpu.engine.math.LongBits;
import dev.reprise.softgpu.engine.math.LongLanes;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;

/**
 * Integer and logic instructions of up to 32 bits (PTX ISA, "Integer Arithmetic Instructions" and
 * "Logic and Shift Instructions").
 */
final class IntegerDecoder {
  private final Emitter e;
  private final CompareDecoder compare;

  IntegerDecoder(Emitter e, CompareDecoder compare) {
    this.e = e;
    this.compare = compare;
  }

  /** Instructions that give a value of the type of their operands. */
  void arithmetic(Form f) {
    PtxType t = f.type();
    switch (f.opcode()) {
      case "add", "sub", "min", "max", "and", "or", "xor", "div", "rem" -> binary(f, t);
      case "not", "neg", "abs", "cnot", "mov" -> unary(f, t);
      case "mul", "mul24" -> multiply(f, t);
      case "mad", "mad24" -> multiplyAdd(f, t);
      case "shl", "shr" -> shift(f, t);
      default -> throw f.unsupported();
    }
  }

  private void binary(Form f, PtxType t) {
    boolean relu = f.take("relu");
    boolean saturate = f.take("sat");
    f.done(3);
    int a = e.ints(f.operand(1), t);
    int b = e.ints(f.operand(2), t);
    boolean signed = t.signed();
    if (relu) {
      if (t != S32 || saturate) {
        throw f.unsupported();
      }
      boolean least = f.opcode().equals("min");
      e.toInt(
          f.operand(0),
          t,
          (w, d) ->
              IntLanes.map(
                  d,
                  w.i[a],
                  w.i[b],
                  (x, y) -> Math.max(least ? Math.min(x, y) : Math.max(x, y), 0)));
      return;
    }
    if (saturate) {
      if (t != S32) {
        throw f.unsupported();
      }
      boolean add = f.opcode().equals("add");
      e.toInt(
          f.operand(0),
          t,
          (w, d) ->
              IntLanes.map(
                  d,
                  w.i[a],
                  w.i[b],
                  (x, y) ->
                      Math.clamp(
                          add ? (long) x + y : (long) x - y,
                          Integer.MIN_VALUE,
                          Integer.MAX_VALUE)));
      return;
    }
    IntOp.Eval eval =
        switch (f.opcode()) {
          case "add" ->
              IntOp.describe((w, d) -> IntLanes.add(d, w.i[a], w.i[b]), "add", i(a), i(b));
          case "sub" ->
              IntOp.describe((w, d) -> IntLanes.sub(d, w.i[a], w.i[b]), "sub", i(a), i(b));
          case "and" ->
              IntOp.describe((w, d) -> IntLanes.and(d, w.i[a], w.i[b]), "and", i(a), i(b));
          case "or" -> IntOp.describe((w, d) -> IntLanes.or(d, w.i[a], w.i[b]), "or", i(a), i(b));
          case "xor" ->
              IntOp.describe((w, d) -> IntLanes.xor(d, w.i[a], w.i[b]), "xor", i(a), i(b));
          case "min" ->
              signed
                  ? IntOp.describe((w, d) -> IntLanes.minS(d, w.i[a], w.i[b]), "minS", i(a), i(b))
                  : IntOp.describe((w, d) -> IntLanes.minU(d, w.i[a], w.i[b]), "minU", i(a), i(b));
          case "max" ->
              signed
                  ? IntOp.describe((w, d) -> IntLanes.maxS(d, w.i[a], w.i[b]), "maxS", i(a), i(b))
                  : IntOp.describe((w, d) -> IntLanes.maxU(d, w.i[a], w.i[b]), "maxU", i(a), i(b));
          case "div" ->
              signed
                  ? (w, d) -> IntLanes.divS(d, w.i[a], w.i[b])
                  : (w, d) -> IntLanes.divU(d, w.i[a], w.i[b]);
          case "rem" ->
              signed
                  ? (w, d) -> IntLanes.remS(d, w.i[a], w.i[b])
                  : (w, d) -> IntLanes.remU(d, w.i[a], w.i[b]);
          default -> throw f.unsupported();
        };
    e.toInt(f.operand(0), t, eval);
  }

  private void unary(Form f, PtxType t) {
    f.done(2);
    int a = e.ints(f.operand(1), t);
    if (f.opcode().equals("mov")) {
      e.toFittingInt(
          f.operand(0), t, IntOp.describe((w, d) -> IntLanes.mov(d, w.i[a]), "mov", i(a)));
      return;
    }
    IntOp.Eval eval =
        switch (f.opcode()) {
          case "not" -> IntOp.describe((w, d) -> IntLanes.not(d, w.i[a]), "not", i(a));
          case "neg" -> IntOp.describe((w, d) -> IntLanes.neg(d, w.i[a]), "neg", i(a));
          case "abs" -> IntOp.describe((w, d) -> IntLanes.abs(d, w.i[a]), "abs", i(a));
          case "cnot" -> (w, d) -> IntLanes.map(d, w.i[a], x -> x == 0 ? 1 : 0);
          default -> throw f.unsupported();
        };
    e.toInt(f.operand(0), t, eval);
  }

  private void multiply(Form f, PtxType t) {
    String part =
        f.opcode().equals("mul24") ? f.require("lo", "hi") : f.require("lo", "hi", "wide");
    f.done(3);
    int a = operand24(f, 1, t);
    int b = operand24(f, 2, t);
    boolean signed = t.signed();
    if (f.opcode().equals("mul24") && part.equals("hi")) {
      // The upper 32 of the 48 bits of the product.
      e.toInt(
          f.operand(0),
          t,
          (w, d) -> IntLanes.map(d, w.i[a], w.i[b], (x, y) -> (int) ((long) x * y >> 16)));
      return;
    }
    if (part.equals("wide")) {
      if (t.bytes() == 2) {
        e.toInt(
            f.operand(0),
            signed ? S32 : U32,
            IntOp.describe((w, d) -> IntLanes.mul(d, w.i[a], w.i[b]), "mul", i(a), i(b)));
      } else if (signed) {
        e.toLong(
            f.operand(0),
            LongOp.describe(
                (w, d) -> LongLanes.mulWideS(d, w.i[a], w.i[b]), "mulWideS", i(a), i(b)));
      } else {
        e.toLong(
            f.operand(0),
            LongOp.describe(
                (w, d) -> LongLanes.mulWideU(d, w.i[a], w.i[b]), "mulWideU", i(a), i(b)));
      }
      return;
    }
    IntOp.Eval eval;
    if (part.equals("lo")) {
      eval = IntOp.describe((w, d) -> IntLanes.mul(d, w.i[a], w.i[b]), "mul", i(a), i(b));
    } else if (t.bytes() == 2) {
      eval = (w, d) -> IntLanes.map(d, w.i[a], w.i[b], (x, y) -> x * y >> 16);
    } else {
      eval =
          signed
              ? IntOp.describe((w, d) -> IntLanes.mulHiS(d, w.i[a], w.i[b]), "mulHiS", i(a), i(b))
              : IntOp.describe((w, d) -> IntLanes.mulHiU(d, w.i[a], w.i[b]), "mulHiU", i(a), i(b));
    }
    e.toInt(f.operand(0), t, eval);
  }

  /** The 24-bit instructions take the low 24 bits, extended. */
  private int operand24(Form f, int k, PtxType t) {
    int a = e.ints(f.operand(k), t);
    if (!f.opcode().endsWith("24")) {
      return a;
    }
    int temp = e.temporary(RegisterKind.INT);
    boolean signed = t.signed();
    e.emit(
        new IntOp(
            temp, (w, d) -> IntLanes.map(d, w.i[a], x -> signed ? x << 8 >> 8 : x & 0xff_ffff)));
    return temp;
  }

  private void multiplyAdd(Form f, PtxType t) {
    boolean narrow = f.opcode().equals("mad24");
    String part = narrow ? f.require("lo", "hi") : f.require("lo", "hi", "wide");
    boolean saturate = f.take("sat");
    f.done(4);
    int a = operand24(f, 1, t);
    int b = operand24(f, 2, t);
    boolean signed = t.signed();
    if (saturate || (narrow && part.equals("hi"))) {
      if (!part.equals("hi") || (saturate && t != S32)) {
        throw f.unsupported();
      }
      int c = e.ints(f.operand(3), t);
      int shift = narrow ? 16 : 32;
      e.toInt(
          f.operand(0),
          t,
          (w, d) ->
              IntLanes.map(
                  d,
                  w.i[a],
                  w.i[b],
                  w.i[c],
                  (x, y, z) -> {
                    long sum = ((long) x * y >> shift) + z;
                    return saturate
                        ? Math.clamp(sum, Integer.MIN_VALUE, Integer.MAX_VALUE)
                        : (int) sum;
                  }));
      return;
    }
    if (part.equals("wide")) {
      if (t.bytes() == 2) {
        int c = e.ints(f.operand(3), signed ? S32 : U32);
        e.toInt(
            f.operand(0),
            signed ? S32 : U32,
            IntOp.describe(
                (w, d) -> IntLanes.mad(d, w.i[a], w.i[b], w.i[c]), "mad", i(a), i(b), i(c)));
        return;
      }
      int c = e.longs(f.operand(3), signed ? PtxType.S64 : PtxType.U64);
      if (signed) {
        e.toLong(
            f.operand(0),
            LongOp.describe(
                (w, d) -> LongLanes.madWideS(d, w.i[a], w.i[b], w.l[c]),
                "madWideS",
                i(a),
                i(b),
                l(c)));
      } else {
        e.toLong(
            f.operand(0),
            LongOp.describe(
                (w, d) -> LongLanes.madWideU(d, w.i[a], w.i[b], w.l[c]),
                "madWideU",
                i(a),
                i(b),
                l(c)));
      }
      return;
    }
    int c = e.ints(f.operand(3), t);
    IntOp.Eval eval;
    if (part.equals("lo")) {
      eval =
          IntOp.describe(
              (w, d) -> IntLanes.mad(d, w.i[a], w.i[b], w.i[c]), "mad", i(a), i(b), i(c));
    } else if (t.bytes() == 2) {
      eval = (w, d) -> IntLanes.map(d, w.i[a], w.i[b], w.i[c], (x, y, z) -> (x * y >> 16) + z);
    } else {
      eval =
          signed
              ? (w, d) -> IntLanes.madHiS(d, w.i[a], w.i[b], w.i[c])
              : (w, d) -> IntLanes.madHiU(d, w.i[a], w.i[b], w.i[c]);
    }
    e.toInt(f.operand(0), t, eval);
  }

  private void shift(Form f, PtxType t) {
    f.done(3);
    int a = e.ints(f.operand(1), t);
    boolean left = f.opcode().equals("shl");
    boolean signed = t.signed();
    if (f.operand(2) instanceof Operand.IntImmediate i && i.value() >= 0 && i.value() < 32) {
      int n = (int) i.value();
      e.toInt(
          f.operand(0),
          t,
          left
              ? IntOp.describe((w, d) -> IntLanes.shl(d, w.i[a], n), "shl", i(a), n(n))
              : signed
                  ? IntOp.describe((w, d) -> IntLanes.shrS(d, w.i[a], n), "shrS", i(a), n(n))
                  : IntOp.describe((w, d) -> IntLanes.shrU(d, w.i[a], n), "shrU", i(a), n(n)));
      return;
    }
    int b = e.ints(f.operand(2), U32);
    e.toInt(
        f.operand(0),
        t,
        left
            ? IntOp.describe((w, d) -> IntLanes.shl(d, w.i[a], w.i[b]), "shlBy", i(a), i(b))
            : signed
                ? IntOp.describe((w, d) -> IntLanes.shrS(d, w.i[a], w.i[b]), "shrSBy", i(a), i(b))
                : IntOp.describe((w, d) -> IntLanes.shrU(d, w.i[a], w.i[b]), "shrUBy", i(a), i(b)));
  }

  /** Instructions on bits and bytes. */
  void bits(Form f) {
    switch (f.opcode()) {
      case "popc", "clz", "brev", "bfind" -> count(f);
      case "bfe", "bfi" -> field(f);
      case "prmt" -> permute(f);
      case "lop3" -> lop3(f);
      case "shf" -> funnel(f);
      case "sad" -> sad(f);
      case "dp4a", "dp2a" -> dotProduct(f);
      case "szext" -> extend(f);
      case "bmsk" -> mask(f);
      case "fns" -> {
        f.done(4);
        ternary(f, U32, B32, S32, IntBits::nthSet);
      }
      default -> throw f.unsupported();
    }
  }

  private void ternary(Form f, PtxType ta, PtxType tb, PtxType tc, IntLanes.Ternary op) {
    int a = e.ints(f.operand(1), ta);
    int b = e.ints(f.operand(2), tb);
    int c = e.ints(f.operand(3), tc);
    e.toInt(f.operand(0), B32, (w, d) -> IntLanes.map(d, w.i[a], w.i[b], w.i[c], op));
  }

  private void count(Form f) {
    PtxType t = f.type();
    boolean shift = f.take("shiftamt");
    f.done(2);
    boolean signed = t.signed();
    if (t.bytes() == 8) {
      int a = e.longs(f.operand(1), t);
      switch (f.opcode()) {
        case "popc" -> e.toInt(f.operand(0), U32, (w, d) -> LongLanes.popc(d, w.l[a]));
        case "clz" -> e.toInt(f.operand(0), U32, (w, d) -> LongLanes.clz(d, w.l[a]));
        case "brev" -> e.toLong(f.operand(0), (w, d) -> LongLanes.brev(d, w.l[a]));
        default ->
            e.toInt(
                f.operand(0),
                U32,
                (w, d) -> {
                  for (int k = 0; k < d.length; k++) {
                    d[k] = LongBits.find(w.l[a][k], signed, shift);
                  }
                });
      }
      return;
    }
    int a = e.ints(f.operand(1), t);
    IntOp.Eval eval =
        switch (f.opcode()) {
          case "popc" -> IntOp.describe((w, d) -> IntLanes.popc(d, w.i[a]), "popc", i(a));
          case "clz" -> (w, d) -> IntLanes.clz(d, w.i[a]);
          case "brev" -> (w, d) -> IntLanes.brev(d, w.i[a]);
          default -> (w, d) -> IntLanes.map(d, w.i[a], x -> IntBits.find(x, signed, shift));
        };
    e.toInt(f.operand(0), U32, eval);
  }

  private void field(Form f) {
    PtxType t = f.type();
    boolean signed = t.signed();
    if (f.opcode().equals("bfe")) {
      f.done(4);
      if (t.bytes() == 8) {
        int a = e.longs(f.operand(1), t);
        int b = e.ints(f.operand(2), U32);
        int c = e.ints(f.operand(3), U32);
        e.toLong(
            f.operand(0),
            (w, d) ->
                LongLanes.map(
                    d, w.l[a], w.i[b], w.i[c], (x, p, n) -> LongBits.extract(x, p, n, signed, 64)));
      } else {
        ternary(f, t, U32, U32, (x, p, n) -> IntBits.extract(x, p, n, signed));
      }
      return;
    }
    f.done(5);
    int p = e.ints(f.operand(3), U32);
    int n = e.ints(f.operand(4), U32);
    if (t.bytes() == 8) {
      int a = e.longs(f.operand(1), t);
      int b = e.longs(f.operand(2), t);
      e.toLong(
          f.operand(0),
          (w, d) -> {
            for (int k = 0; k < d.length; k++) {
              d[k] = LongBits.insert(w.l[a][k], w.l[b][k], w.i[p][k], w.i[n][k], 64);
            }
          });
    } else {
      int a = e.ints(f.operand(1), t);
      int b = e.ints(f.operand(2), t);
      e.toInt(
          f.operand(0),
          t,
          (w, d) -> {
            for (int k = 0; k < d.length; k++) {
              d[k] = IntBits.insert(w.i[a][k], w.i[b][k], w.i[p][k], w.i[n][k]);
            }
          });
    }
  }

  private void permute(Form f) {
    String mode = f.takeAny("f4e", "b4e", "rc8", "ecl", "ecr", "rc16");
    f.done(4);
    ternary(
        f,
        B32,
        B32,
        B32,
        mode == null ? IntBits::permute : (a, b, c) -> IntBits.permute(a, b, c, mode));
  }

  private void lop3(Form f) {
    String combine = f.takeAny("and", "or");
    f.done(combine == null ? 5 : 6);
    if (!(f.operand(4) instanceof Operand.IntImmediate table)) {
      throw f.error("needs a constant truth table");
    }
    int bits = (int) table.value();
    if (combine == null) {
      ternary(f, B32, B32, B32, (a, b, c) -> IntBits.lop3(a, b, c, bits));
    } else {
      lop3WithPredicate(f, bits, combine.equals("and"));
    }
  }

  /** {@code lop3.and d|p, a, b, c, table, q}: p is (d != 0) and q. */
  private void lop3WithPredicate(Form f, int bits, boolean and) {
    if (!(f.operand(0) instanceof Operand.Pair to)) {
      throw f.error("needs a destination d|p");
    }
    int a = e.ints(f.operand(1), B32);
    int b = e.ints(f.operand(2), B32);
    int c = e.ints(f.operand(3), B32);
    PredicateOp.Eval q = compare.predicate(f.operand(5));
    int d = e.temporary(RegisterKind.INT);
    e.emit(
        new IntOp(
            d,
            (w, r) ->
                IntLanes.map(r, w.i[a], w.i[b], w.i[c], (x, y, z) -> IntBits.lop3(x, y, z, bits))));
    int zero = e.registers.constant(0);
    e.toPredicate(
        to.second(),
        and
            ? w -> ~IntLanes.eq(w.i[d], w.i[zero]) & q.eval(w)
            : w -> ~IntLanes.eq(w.i[d], w.i[zero]) | q.eval(w));
    e.toInt(to.first(), B32, (w, r) -> IntLanes.mov(r, w.i[d]));
  }

  private void funnel(Form f) {
    boolean left = f.require("l", "r").equals("l");
    boolean clamp = f.require("clamp", "wrap").equals("clamp");
    f.done(4);
    ternary(f, B32, B32, U32, (a, b, c) -> IntBits.funnel(a, b, c, left, clamp));
  }

  private void sad(Form f) {
    PtxType t = f.type();
    f.done(4);
    boolean signed = t.signed();
    if (t.bytes() == 8) {
      int a = e.longs(f.operand(1), t);
      int b = e.longs(f.operand(2), t);
      int c = e.longs(f.operand(3), t);
      e.toLong(
          f.operand(0),
          (w, d) -> {
            for (int k = 0; k < d.length; k++) {
              d[k] = LongBits.sad(w.l[a][k], w.l[b][k], w.l[c][k], signed);
            }
          });
      return;
    }
    ternary(f, t, t, t, (a, b, c) -> IntBits.sad(a, b, c, signed));
  }

  private void dotProduct(Form f) {
    boolean signedA = f.type(0).signed();
    boolean signedB = f.type(1).signed();
    if (f.opcode().equals("dp2a")) {
      boolean high = f.require("lo", "hi").equals("hi");
      f.done(4);
      ternary(f, B32, B32, B32, (a, b, c) -> IntBits.dp2a(a, b, c, signedA, signedB, high));
      return;
    }
    f.done(4);
    int a = e.ints(f.operand(1), B32);
    int b = e.ints(f.operand(2), B32);
    int c = e.ints(f.operand(3), B32);
    e.toInt(
        f.operand(0), B32, (w, d) -> IntLanes.dp4a(d, w.i[a], w.i[b], w.i[c], signedA, signedB));
  }

  private void extend(Form f) {
    boolean signed = f.type().signed();
    boolean clamp = f.require("clamp", "wrap").equals("clamp");
    f.done(3);
    int a = e.ints(f.operand(1), B32);
    int b = e.ints(f.operand(2), U32);
    e.toInt(
        f.operand(0),
        B32,
        (w, d) -> IntLanes.map(d, w.i[a], w.i[b], (x, n) -> IntBits.extend(x, n, signed, clamp)));
  }

  private void mask(Form f) {
    boolean clamp = f.require("clamp", "wrap").equals("clamp");
    f.done(3);
    int a = e.ints(f.operand(1), U32);
    int b = e.ints(f.operand(2), U32);
    e.toInt(
        f.operand(0),
        B32,
        (w, d) -> IntLanes.map(d, w.i[a], w.i[b], (x, n) -> IntBits.mask(x, n, clamp)));
  }
}
