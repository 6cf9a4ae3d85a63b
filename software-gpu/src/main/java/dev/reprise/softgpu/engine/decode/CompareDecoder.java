package dev.reprise.softgpu.engine.decode;

import static dev.reprise.softgpu.engine.exec.LaneFunction.d;
import static dev.reprise.softgpu.engine.exec.LaneFunction.f;
import static dev.reprise.softgpu.engine.exec.LaneFunction.i;
import static dev.reprise.softgpu.engine.exec.LaneFunction.l;

import dev.reprise.softgpu.engine.exec.DoubleOp;
import dev.reprise.softgpu.engine.exec.FloatOp;
import dev.reprise.softgpu.engine.exec.IntOp;
import dev.reprise.softgpu.engine.exec.LaneFunction;
import dev.reprise.softgpu.engine.exec.LongOp;
import dev.reprise.softgpu.engine.exec.PredicateOp;
import dev.reprise.softgpu.engine.exec.Program.Special;
import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.engine.math.DoubleLanes;
import dev.reprise.softgpu.engine.math.FloatLanes;
import dev.reprise.softgpu.engine.math.HalfFormat;
import dev.reprise.softgpu.engine.math.IntLanes;
import dev.reprise.softgpu.engine.math.LongLanes;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import org.jspecify.annotations.Nullable;

/**
 * {@code setp}, {@code set}, {@code selp}, {@code slct} and logic on predicates (PTX ISA,
 * "Comparison and Selection Instructions").
 */
final class CompareDecoder {
  private static final String[] COMPARISONS = {
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu",
    "geu", "num", "nan"
  };

  /** Name of the function of a predicate that is taken as it is. */
  private static final String PLAIN = "predicate";

  private final Emitter e;

  CompareDecoder(Emitter e) {
    this.e = e;
  }

  void setp(Form f) {
    String comparison = f.require(COMPARISONS);
    String combine = f.takeAny("and", "or", "xor");
    boolean ftz = f.take("ftz");
    PtxType t = f.type();
    f.done(combine == null ? 3 : 4);
    Operand first = f.operand(0);
    Operand second = null;
    if (first instanceof Operand.Pair pair) {
      first = pair.first();
      second = pair.second();
    }
    if (t == PtxType.F16X2 || t == PtxType.BF16X2) {
      // The two predicates are those of the low and the high halves.
      PredicateOp.Eval low = combined(f, halves(f, t, comparison, false), combine);
      PredicateOp.Eval high = combined(f, halves(f, t, comparison, true), combine);
      both(first, low, second, high);
      return;
    }
    PredicateOp.Eval test = compare(f, t, comparison, ftz, f.operand(1), f.operand(2));
    PredicateOp.Eval result = combined(f, test, combine);
    both(first, result, second, combined(f, w -> ~test.eval(w), combine));
  }

  private void both(
      Operand first, PredicateOp.Eval a, @Nullable Operand second, PredicateOp.Eval b) {
    if (second == null) {
      e.toPredicate(first, a);
      return;
    }
    // The first destination may be a source of the second result.
    int temp = e.temporary(RegisterKind.PREDICATE);
    e.emit(new PredicateOp(temp, a));
    e.toPredicate(second, b);
    e.toPredicate(first, w -> w.p[temp]);
  }

  private PredicateOp.Eval combined(Form f, PredicateOp.Eval test, @Nullable String combine) {
    if (combine == null) {
      return test;
    }
    PredicateOp.Eval c = predicate(f.operand(3));
    return switch (combine) {
      case "and" -> w -> test.eval(w) & c.eval(w);
      case "or" -> w -> test.eval(w) | c.eval(w);
      default -> w -> test.eval(w) ^ c.eval(w);
    };
  }

  /** A predicate operand, negated or not. */
  PredicateOp.Eval predicate(Operand o) {
    if (o instanceof Operand.Negated n) {
      int p = e.predicate(n.name());
      return PredicateOp.describe(w -> ~w.p[p], "not", LaneFunction.p(p));
    }
    if (o instanceof Operand.IntImmediate i) {
      int all = i.value() != 0 ? -1 : 0;
      return w -> all;
    }
    if (o instanceof Operand.Name n && n.text().equals("%is_explicit_cluster")) {
      int explicit = e.registers.special(Special.IS_EXPLICIT_CLUSTER);
      return w -> -w.i[explicit][0];
    }
    int p = e.predicate(o);
    return PredicateOp.describe(w -> w.p[p], PLAIN, LaneFunction.p(p));
  }

  private PredicateOp.Eval compare(
      Form f, PtxType t, String comparison, boolean ftz, Operand x, Operand y) {
    if (t == PtxType.F32) {
      return floats(f, comparison, flushed(e.floats(x), ftz), flushed(e.floats(y), ftz));
    }
    if (t == PtxType.F16 || t == PtxType.BF16) {
      HalfFormat h = HalfDecoder.format(t);
      return floats(f, comparison, decoded(e.ints(x, t), h, 0), decoded(e.ints(y, t), h, 0));
    }
    if (t == PtxType.F64) {
      return doubles(f, comparison, e.doubles(x), e.doubles(y));
    }
    return t.bytes() == 8
        ? longs(f, t, comparison, e.longs(x, t), e.longs(y, t))
        : ints(f, t, comparison, e.ints(x, t), e.ints(y, t));
  }

  private PredicateOp.Eval halves(Form f, PtxType t, String comparison, boolean high) {
    HalfFormat h = HalfDecoder.format(t);
    int shift = high ? 16 : 0;
    return floats(
        f,
        comparison,
        decoded(e.ints(f.operand(1), t), h, shift),
        decoded(e.ints(f.operand(2), t), h, shift));
  }

  private int flushed(int a, boolean ftz) {
    if (!ftz) {
      return a;
    }
    int temp = e.temporary(RegisterKind.FLOAT);
    e.emit(
        new FloatOp(temp, FloatOp.describe((w, d) -> FloatLanes.flush(d, w.f[a]), "flush", f(a))));
    return temp;
  }

  private int decoded(int a, HalfFormat h, int shift) {
    int temp = e.temporary(RegisterKind.FLOAT);
    e.emit(
        new FloatOp(
            temp,
            (w, d) -> {
              for (int k = 0; k < d.length; k++) {
                d[k] = h.decode(w.i[a][k] >>> shift);
              }
            }));
    return temp;
  }

  private static PredicateOp.Eval ints(Form f, PtxType t, String comparison, int a, int b) {
    boolean signed = t.signed();
    return switch (comparison) {
      case "eq" -> PredicateOp.describe(w -> IntLanes.eq(w.i[a], w.i[b]), "eq", i(a), i(b));
      case "ne" -> PredicateOp.describe(w -> ~IntLanes.eq(w.i[a], w.i[b]), "notEq", i(a), i(b));
      case "lt", "lo" ->
          signed
              ? PredicateOp.describe(w -> IntLanes.ltS(w.i[a], w.i[b]), "ltS", i(a), i(b))
              : PredicateOp.describe(w -> IntLanes.ltU(w.i[a], w.i[b]), "ltU", i(a), i(b));
      case "le", "ls" ->
          signed
              ? PredicateOp.describe(w -> ~IntLanes.ltS(w.i[b], w.i[a]), "notLtS", i(b), i(a))
              : PredicateOp.describe(w -> ~IntLanes.ltU(w.i[b], w.i[a]), "notLtU", i(b), i(a));
      case "gt", "hi" ->
          signed
              ? PredicateOp.describe(w -> IntLanes.ltS(w.i[b], w.i[a]), "ltS", i(b), i(a))
              : PredicateOp.describe(w -> IntLanes.ltU(w.i[b], w.i[a]), "ltU", i(b), i(a));
      case "ge", "hs" ->
          signed
              ? PredicateOp.describe(w -> ~IntLanes.ltS(w.i[a], w.i[b]), "notLtS", i(a), i(b))
              : PredicateOp.describe(w -> ~IntLanes.ltU(w.i[a], w.i[b]), "notLtU", i(a), i(b));
      default -> throw f.unsupported();
    };
  }

  private static PredicateOp.Eval longs(Form f, PtxType t, String comparison, int a, int b) {
    boolean signed = t.signed();
    return switch (comparison) {
      case "eq" -> PredicateOp.describe(w -> LongLanes.eq(w.l[a], w.l[b]), "eq", l(a), l(b));
      case "ne" -> PredicateOp.describe(w -> ~LongLanes.eq(w.l[a], w.l[b]), "notEq", l(a), l(b));
      case "lt", "lo" ->
          signed
              ? PredicateOp.describe(w -> LongLanes.ltS(w.l[a], w.l[b]), "ltS", l(a), l(b))
              : PredicateOp.describe(w -> LongLanes.ltU(w.l[a], w.l[b]), "ltU", l(a), l(b));
      case "le", "ls" ->
          signed
              ? PredicateOp.describe(w -> ~LongLanes.ltS(w.l[b], w.l[a]), "notLtS", l(b), l(a))
              : PredicateOp.describe(w -> ~LongLanes.ltU(w.l[b], w.l[a]), "notLtU", l(b), l(a));
      case "gt", "hi" ->
          signed
              ? PredicateOp.describe(w -> LongLanes.ltS(w.l[b], w.l[a]), "ltS", l(b), l(a))
              : PredicateOp.describe(w -> LongLanes.ltU(w.l[b], w.l[a]), "ltU", l(b), l(a));
      case "ge", "hs" ->
          signed
              ? PredicateOp.describe(w -> ~LongLanes.ltS(w.l[a], w.l[b]), "notLtS", l(a), l(b))
              : PredicateOp.describe(w -> ~LongLanes.ltU(w.l[a], w.l[b]), "notLtU", l(a), l(b));
      default -> throw f.unsupported();
    };
  }

  /** A comparison ending in u is true for NaN: the opposite of the opposite ordered one. */
  private static PredicateOp.Eval floats(Form f, String comparison, int a, int b) {
    return switch (comparison) {
      case "eq" -> PredicateOp.describe(w -> FloatLanes.eq(w.f[a], w.f[b]), "eq", f(a), f(b));
      case "ne" ->
          PredicateOp.describe(
              w -> ~FloatLanes.eq(w.f[a], w.f[b]) & FloatLanes.ordered(w.f[a], w.f[b]),
              "differs",
              f(a),
              f(b));
      case "lt" -> PredicateOp.describe(w -> FloatLanes.lt(w.f[a], w.f[b]), "lt", f(a), f(b));
      case "le" -> PredicateOp.describe(w -> FloatLanes.le(w.f[a], w.f[b]), "le", f(a), f(b));
      case "gt" -> PredicateOp.describe(w -> FloatLanes.lt(w.f[b], w.f[a]), "lt", f(b), f(a));
      case "ge" -> PredicateOp.describe(w -> FloatLanes.le(w.f[b], w.f[a]), "le", f(b), f(a));
      case "equ" ->
          PredicateOp.describe(
              w -> FloatLanes.eq(w.f[a], w.f[b]) | ~FloatLanes.ordered(w.f[a], w.f[b]),
              "notDiffers",
              f(a),
              f(b));
      case "neu" -> PredicateOp.describe(w -> ~FloatLanes.eq(w.f[a], w.f[b]), "notEq", f(a), f(b));
      case "ltu" -> PredicateOp.describe(w -> ~FloatLanes.le(w.f[b], w.f[a]), "notLe", f(b), f(a));
      case "leu" -> PredicateOp.describe(w -> ~FloatLanes.lt(w.f[b], w.f[a]), "notLt", f(b), f(a));
      case "gtu" -> PredicateOp.describe(w -> ~FloatLanes.le(w.f[a], w.f[b]), "notLe", f(a), f(b));
      case "geu" -> PredicateOp.describe(w -> ~FloatLanes.lt(w.f[a], w.f[b]), "notLt", f(a), f(b));
      case "num" ->
          PredicateOp.describe(w -> FloatLanes.ordered(w.f[a], w.f[b]), "ordered", f(a), f(b));
      case "nan" ->
          PredicateOp.describe(w -> ~FloatLanes.ordered(w.f[a], w.f[b]), "notOrdered", f(a), f(b));
      default -> throw f.unsupported();
    };
  }

  private static PredicateOp.Eval doubles(Form f, String comparison, int a, int b) {
    return switch (comparison) {
      case "eq" -> PredicateOp.describe(w -> DoubleLanes.eq(w.d[a], w.d[b]), "eq", d(a), d(b));
      case "ne" ->
          PredicateOp.describe(
              w -> ~DoubleLanes.eq(w.d[a], w.d[b]) & DoubleLanes.ordered(w.d[a], w.d[b]),
              "differs",
              d(a),
              d(b));
      case "lt" -> PredicateOp.describe(w -> DoubleLanes.lt(w.d[a], w.d[b]), "lt", d(a), d(b));
      case "le" -> PredicateOp.describe(w -> DoubleLanes.le(w.d[a], w.d[b]), "le", d(a), d(b));
      case "gt" -> PredicateOp.describe(w -> DoubleLanes.lt(w.d[b], w.d[a]), "lt", d(b), d(a));
      case "ge" -> PredicateOp.describe(w -> DoubleLanes.le(w.d[b], w.d[a]), "le", d(b), d(a));
      case "equ" ->
          PredicateOp.describe(
              w -> DoubleLanes.eq(w.d[a], w.d[b]) | ~DoubleLanes.ordered(w.d[a], w.d[b]),
              "notDiffers",
              d(a),
              d(b));
      case "neu" -> PredicateOp.describe(w -> ~DoubleLanes.eq(w.d[a], w.d[b]), "notEq", d(a), d(b));
      case "ltu" -> PredicateOp.describe(w -> ~DoubleLanes.le(w.d[b], w.d[a]), "notLe", d(b), d(a));
      case "leu" -> PredicateOp.describe(w -> ~DoubleLanes.lt(w.d[b], w.d[a]), "notLt", d(b), d(a));
      case "gtu" -> PredicateOp.describe(w -> ~DoubleLanes.le(w.d[a], w.d[b]), "notLe", d(a), d(b));
      case "geu" -> PredicateOp.describe(w -> ~DoubleLanes.lt(w.d[a], w.d[b]), "notLt", d(a), d(b));
      case "num" ->
          PredicateOp.describe(w -> DoubleLanes.ordered(w.d[a], w.d[b]), "ordered", d(a), d(b));
      case "nan" ->
          PredicateOp.describe(w -> ~DoubleLanes.ordered(w.d[a], w.d[b]), "notOrdered", d(a), d(b));
      default -> throw f.unsupported();
    };
  }

  /** {@code set}: all ones or 1.0 where the comparison holds, else 0. */
  void set(Form f) {
    String comparison = f.require(COMPARISONS);
    String combine = f.takeAny("and", "or", "xor");
    boolean ftz = f.take("ftz");
    PtxType to = f.type(0);
    PtxType from = f.type(1);
    f.done(combine == null ? 3 : 4);
    boolean pair = from == PtxType.F16X2 || from == PtxType.BF16X2;
    if (pair) {
      PredicateOp.Eval low = combined(f, halves(f, from, comparison, false), combine);
      PredicateOp.Eval high = combined(f, halves(f, from, comparison, true), combine);
      int one = to == PtxType.F16X2 ? 0x3c00 : to == PtxType.BF16X2 ? 0x3f80 : 0xffff;
      e.toInt(
          f.operand(0),
          to,
          (w, d) -> {
            int l = low.eval(w);
            int h = high.eval(w);
            for (int k = 0; k < d.length; k++) {
              d[k] = ((l >>> k & 1) != 0 ? one : 0) | ((h >>> k & 1) != 0 ? one << 16 : 0);
            }
          });
      return;
    }
    PredicateOp.Eval test =
        combined(f, compare(f, from, comparison, ftz, f.operand(1), f.operand(2)), combine);
    int one =
        switch (to) {
          case U32, S32 -> -1;
          case F32 -> Float.floatToRawIntBits(1f);
          case F16 -> 0x3c00;
          case BF16 -> 0x3f80;
          case U16, S16 -> 0xffff;
          default -> throw f.unsupported();
        };
    IntOp.Eval eval =
        (w, d) -> {
          int bits = test.eval(w);
          for (int k = 0; k < d.length; k++) {
            d[k] = (bits >>> k & 1) != 0 ? one : 0;
          }
        };
    e.toInt(f.operand(0), to, eval);
  }

  void selp(Form f) {
    PtxType t = f.type();
    f.done(4);
    PredicateOp.Eval p = predicate(f.operand(3));
    select(f, t, p);
  }

  private void select(Form f, PtxType t, PredicateOp.Eval p) {
    VirtualRegister to = e.register(f.operand(0));
    boolean asFloat =
        t == PtxType.F32 || (t == PtxType.B32 && to != null && to.kind == RegisterKind.FLOAT);
    if (asFloat) {
      int a = e.floats(f.operand(1));
      int b = e.floats(f.operand(2));
      e.moveToFloat(f.operand(0), selectedFloats(a, b, p));
    } else if (t == PtxType.F64) {
      int a = e.doubles(f.operand(1));
      int b = e.doubles(f.operand(2));
      e.toDouble(f.operand(0), selectedDoubles(a, b, p));
    } else if (t.bytes() == 8) {
      int a = e.longs(f.operand(1), t);
      int b = e.longs(f.operand(2), t);
      e.toLong(f.operand(0), selectedLongs(a, b, p));
    } else {
      int a = e.ints(f.operand(1), t);
      int b = e.ints(f.operand(2), t);
      e.toInt(f.operand(0), t, selectedInts(a, b, p));
    }
  }

  /**
   * The predicate as an argument of a described selection, or null where it is computed on the way.
   */
  private static LaneFunction.@Nullable Argument mask(PredicateOp.Eval p) {
    LaneFunction function = PredicateOp.function(p);
    return function != null && function.name().equals(PLAIN) ? function.arguments().get(0) : null;
  }

  private static FloatOp.Eval selectedFloats(int a, int b, PredicateOp.Eval p) {
    FloatOp.Eval eval = (w, d) -> FloatLanes.select(d, w.f[a], w.f[b], p.eval(w));
    LaneFunction.Argument mask = mask(p);
    return mask == null ? eval : FloatOp.describe(eval, "select", f(a), f(b), mask);
  }

  private static DoubleOp.Eval selectedDoubles(int a, int b, PredicateOp.Eval p) {
    DoubleOp.Eval eval = (w, d) -> DoubleLanes.select(d, w.d[a], w.d[b], p.eval(w));
    LaneFunction.Argument mask = mask(p);
    return mask == null ? eval : DoubleOp.describe(eval, "select", d(a), d(b), mask);
  }

  private static LongOp.Eval selectedLongs(int a, int b, PredicateOp.Eval p) {
    LongOp.Eval eval = (w, d) -> LongLanes.select(d, w.l[a], w.l[b], p.eval(w));
    LaneFunction.Argument mask = mask(p);
    return mask == null ? eval : LongOp.describe(eval, "select", l(a), l(b), mask);
  }

  private static IntOp.Eval selectedInts(int a, int b, PredicateOp.Eval p) {
    IntOp.Eval eval = (w, d) -> IntLanes.select(d, w.i[a], w.i[b], p.eval(w));
    LaneFunction.Argument mask = mask(p);
    return mask == null ? eval : IntOp.describe(eval, "select", i(a), i(b), mask);
  }

  /** {@code slct}: the first value where c is not negative. */
  void slct(Form f) {
    f.ignore("ftz");
    PtxType t = f.type(0);
    PtxType condition = f.type(1);
    f.done(4);
    if (condition == PtxType.F32) {
      int zero = e.registers.constant(0f);
      int c = e.floats(f.operand(3));
      select(f, t, w -> FloatLanes.le(w.f[zero], w.f[c]));
    } else {
      int c = e.ints(f.operand(3), PtxType.S32);
      int zero = e.registers.constant(0);
      select(
          f,
          t,
          PredicateOp.describe(w -> ~IntLanes.ltS(w.i[c], w.i[zero]), "notLtS", i(c), i(zero)));
    }
  }

  /** and, or, xor, not, mov of predicates. */
  void predicates(Form f) {
    PredicateOp.Eval a = predicate(f.operand(1));
    if (f.operands() == 2) {
      f.done(2);
      LaneFunction.Argument x = mask(a);
      PredicateOp.Eval inverse = w -> ~a.eval(w);
      e.toPredicate(
          f.operand(0),
          switch (f.opcode()) {
            case "not" -> x == null ? inverse : PredicateOp.describe(inverse, "not", x);
            case "mov" -> a;
            default -> throw f.unsupported();
          });
      return;
    }
    f.done(3);
    PredicateOp.Eval b = predicate(f.operand(2));
    PredicateOp.Eval result =
        switch (f.opcode()) {
          case "and" -> w -> a.eval(w) & b.eval(w);
          case "or" -> w -> a.eval(w) | b.eval(w);
          case "xor" -> w -> a.eval(w) ^ b.eval(w);
          default -> throw f.unsupported();
        };
    LaneFunction.Argument x = mask(a);
    LaneFunction.Argument y = mask(b);
    // The lane's values are all ones or 0.
    e.toPredicate(
        f.operand(0),
        x == null || y == null ? result : PredicateOp.describe(result, f.opcode(), x, y));
  }
}
