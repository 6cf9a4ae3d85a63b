package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.engine.math.FloatLanes;
import dev.reprise.softgpu.engine.math.IntLanes;
import dev.reprise.softgpu.engine.math.LongLanes;

/**
 * Does operations one after the other. Those that programs are mostly made of are done here, by a
 * number, where {@link Op#run} would cost two more virtual calls; it stays the reference, with
 * which tests compare.
 */
final class Interpreter {
  /** Any other operation. */
  static final int OTHER = 0;

  private static final int F_FMA = 1;
  private static final int F_ADD = 2;
  private static final int F_SUB = 3;
  private static final int F_MUL = 4;
  private static final int F_MAX = 5;
  private static final int F_MOV = 6;
  private static final int F_SELECT = 7;
  private static final int F_OF_HALF = 8;
  private static final int F_OF_BITS = 9;
  private static final int I_ADD = 10;
  private static final int I_SUB = 11;
  private static final int I_MUL = 12;
  private static final int I_MAD = 13;
  private static final int I_AND = 14;
  private static final int I_OR = 15;
  private static final int I_XOR = 16;
  private static final int I_MIN_S = 17;
  private static final int I_MOV = 18;
  private static final int I_SHL = 19;
  private static final int I_SHR_U = 20;
  private static final int I_SHR_S = 21;
  private static final int I_FIELD = 22;
  private static final int I_SELECT = 23;
  private static final int I_TO_BITS = 24;
  private static final int I_TO_CANONICAL_BITS = 25;
  private static final int L_ADD = 26;
  private static final int L_MOV = 27;
  private static final int L_SHL = 28;
  private static final int L_MUL_WIDE_S = 29;
  private static final int L_MUL_WIDE_U = 30;
  private static final int L_EXTEND_S = 31;
  private static final int L_EXTEND_U = 32;
  private static final int P_EQ = 33;
  private static final int P_NOT_EQ = 34;
  private static final int P_LT_S = 35;
  private static final int P_NOT_LT_S = 36;
  private static final int P_LT_U = 37;
  private static final int P_NOT_LT_U = 38;

  private Interpreter() {}

  /** The number of what an operation computes. */
  static int code(RegisterKind kind, LaneFunction function) {
    StringBuilder form = new StringBuilder(kind + " " + function.name() + " ");
    for (LaneFunction.Argument a : function.arguments()) {
      form.append(a.kind() == null ? 'N' : a.kind().name().charAt(0));
    }
    return switch (form.toString()) {
      case "FLOAT fma FFF" -> F_FMA;
      case "FLOAT add FF" -> F_ADD;
      case "FLOAT sub FF" -> F_SUB;
      case "FLOAT mul FF" -> F_MUL;
      case "FLOAT max FF" -> F_MAX;
      case "FLOAT mov F" -> F_MOV;
      case "FLOAT select FFP" -> F_SELECT;
      case "FLOAT ofHalf I" -> F_OF_HALF;
      case "FLOAT ofBits I" -> F_OF_BITS;
      case "INT add II" -> I_ADD;
      case "INT sub II" -> I_SUB;
      case "INT mul II" -> I_MUL;
      case "INT mad III" -> I_MAD;
      case "INT and II" -> I_AND;
      case "INT or II" -> I_OR;
      case "INT xor II" -> I_XOR;
      case "INT minS II" -> I_MIN_S;
      case "INT mov I" -> I_MOV;
      case "INT shl IN" -> I_SHL;
      case "INT shrU IN" -> I_SHR_U;
      case "INT shrS IN" -> I_SHR_S;
      case "INT field INN" -> I_FIELD;
      case "INT select IIP" -> I_SELECT;
      case "INT toBits F" -> I_TO_BITS;
      case "INT toCanonicalBits F" -> I_TO_CANONICAL_BITS;
      case "LONG add LL" -> L_ADD;
      case "LONG mov L" -> L_MOV;
      case "LONG shl LN" -> L_SHL;
      case "LONG mulWideS II" -> L_MUL_WIDE_S;
      case "LONG mulWideU II" -> L_MUL_WIDE_U;
      case "LONG extendS I" -> L_EXTEND_S;
      case "LONG extendU I" -> L_EXTEND_U;
      case "PREDICATE eq II" -> P_EQ;
      case "PREDICATE notEq II" -> P_NOT_EQ;
      case "PREDICATE ltS II" -> P_LT_S;
      case "PREDICATE notLtS II" -> P_NOT_LT_S;
      case "PREDICATE ltU II" -> P_LT_U;
      case "PREDICATE notLtU II" -> P_NOT_LT_U;
      default -> OTHER;
    };
  }

  /** Runs operations for the lanes of {@code m} that their guards let through. */
  static void run(Op[] ops, Warp w, int m) {
    for (Op op : ops) {
      int active = op.guard < 0 ? m : m & (w.p[op.guard] ^ op.guardFlip);
      if (active == 0) {
        continue;
      }
      // Lanes that have exited, or never were, do not matter.
      if (active != w.live) {
        op.run(w, active);
        continue;
      }
      switch (op.code) {
        case F_FMA -> FloatLanes.fma(w.f[op.result], w.f[op.a], w.f[op.b], w.f[op.c]);
        case F_ADD -> FloatLanes.add(w.f[op.result], w.f[op.a], w.f[op.b]);
        case F_SUB -> FloatLanes.sub(w.f[op.result], w.f[op.a], w.f[op.b]);
        case F_MUL -> FloatLanes.mul(w.f[op.result], w.f[op.a], w.f[op.b]);
        case F_MAX -> FloatLanes.max(w.f[op.result], w.f[op.a], w.f[op.b]);
        case F_MOV -> FloatLanes.mov(w.f[op.result], w.f[op.a]);
        case F_SELECT -> FloatLanes.select(w.f[op.result], w.f[op.a], w.f[op.b], w.p[op.c]);
        case F_OF_HALF -> FloatLanes.ofHalf(w.f[op.result], w.i[op.a]);
        case F_OF_BITS -> FloatLanes.ofBits(w.f[op.result], w.i[op.a]);
        case I_ADD -> IntLanes.add(w.i[op.result], w.i[op.a], w.i[op.b]);
        case I_SUB -> IntLanes.sub(w.i[op.result], w.i[op.a], w.i[op.b]);
        case I_MUL -> IntLanes.mul(w.i[op.result], w.i[op.a], w.i[op.b]);
        case I_MAD -> IntLanes.mad(w.i[op.result], w.i[op.a], w.i[op.b], w.i[op.c]);
        case I_AND -> IntLanes.and(w.i[op.result], w.i[op.a], w.i[op.b]);
        case I_OR -> IntLanes.or(w.i[op.result], w.i[op.a], w.i[op.b]);
        case I_XOR -> IntLanes.xor(w.i[op.result], w.i[op.a], w.i[op.b]);
        case I_MIN_S -> IntLanes.minS(w.i[op.result], w.i[op.a], w.i[op.b]);
        case I_MOV -> IntLanes.mov(w.i[op.result], w.i[op.a]);
        case I_SHL -> IntLanes.shl(w.i[op.result], w.i[op.a], op.b);
        case I_SHR_U -> IntLanes.shrU(w.i[op.result], w.i[op.a], op.b);
        case I_SHR_S -> IntLanes.shrS(w.i[op.result], w.i[op.a], op.b);
        case I_FIELD -> IntLanes.field(w.i[op.result], w.i[op.a], op.b, op.c);
        case I_SELECT -> IntLanes.select(w.i[op.result], w.i[op.a], w.i[op.b], w.p[op.c]);
        case I_TO_BITS -> FloatLanes.toBits(w.i[op.result], w.f[op.a]);
        case I_TO_CANONICAL_BITS -> FloatLanes.toCanonicalBits(w.i[op.result], w.f[op.a]);
        case L_ADD -> LongLanes.add(w.l[op.result], w.l[op.a], w.l[op.b]);
        case L_MOV -> LongLanes.mov(w.l[op.result], w.l[op.a]);
        case L_SHL -> LongLanes.shl(w.l[op.result], w.l[op.a], op.b);
        case L_MUL_WIDE_S -> LongLanes.mulWideS(w.l[op.result], w.i[op.a], w.i[op.b]);
        case L_MUL_WIDE_U -> LongLanes.mulWideU(w.l[op.result], w.i[op.a], w.i[op.b]);
        case L_EXTEND_S -> LongLanes.extendS(w.l[op.result], w.i[op.a]);
        case L_EXTEND_U -> LongLanes.extendU(w.l[op.result], w.i[op.a]);
        case P_EQ -> predicate(w.p, op.result, IntLanes.eq(w.i[op.a], w.i[op.b]), active);
        case P_NOT_EQ -> predicate(w.p, op.result, ~IntLanes.eq(w.i[op.a], w.i[op.b]), active);
        case P_LT_S -> predicate(w.p, op.result, IntLanes.ltS(w.i[op.a], w.i[op.b]), active);
        case P_NOT_LT_S -> predicate(w.p, op.result, ~IntLanes.ltS(w.i[op.a], w.i[op.b]), active);
        case P_LT_U -> predicate(w.p, op.result, IntLanes.ltU(w.i[op.a], w.i[op.b]), active);
        case P_NOT_LT_U -> predicate(w.p, op.result, ~IntLanes.ltU(w.i[op.a], w.i[op.b]), active);
        default -> op.run(w, active);
      }
    }
  }

  /** Sets the bits of a predicate for the lanes of {@code m}. */
  static void predicate(int[] predicates, int result, int bits, int m) {
    predicates[result] = (predicates[result] & ~m) | (bits & m);
  }
}
