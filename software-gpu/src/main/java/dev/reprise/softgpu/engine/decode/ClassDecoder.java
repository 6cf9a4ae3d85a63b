package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.PredicateOp;
import dev.reprise.softgpu.ptx.PtxType;

/** {@code testp}: what kind of number a float is. */
final class ClassDecoder {
  private final Emitter e;

  ClassDecoder(Emitter e) {
    this.e = e;
  }

  void testp(Form f) {
    String what = f.require("finite", "infinite", "number", "notanumber", "normal", "subnormal");
    PtxType t = f.type();
    f.done(2);
    PredicateOp.Eval eval;
    if (t == PtxType.F32) {
      int a = e.floats(f.operand(1));
      eval =
          w -> {
            int r = 0;
            for (int k = 0; k < w.f[a].length; k++) {
              float v = w.f[a][k];
              r |= holds(what, v, Float.MIN_NORMAL) ? 1 << k : 0;
            }
            return r;
          };
    } else if (t == PtxType.F64) {
      int a = e.doubles(f.operand(1));
      eval =
          w -> {
            int r = 0;
            for (int k = 0; k < w.d[a].length; k++) {
              r |= holds(what, w.d[a][k], Double.MIN_NORMAL) ? 1 << k : 0;
            }
            return r;
          };
    } else {
      throw f.unsupported();
    }
    e.toPredicate(f.operand(0), eval);
  }

  private static boolean holds(String what, double v, double leastNormal) {
    double size = Math.abs(v);
    return switch (what) {
      case "finite" -> size < Double.POSITIVE_INFINITY;
      case "infinite" -> size == Double.POSITIVE_INFINITY;
      case "number" -> !Double.isNaN(v);
      case "notanumber" -> Double.isNaN(v);
      case "normal" -> size >= leastNormal && size < Double.POSITIVE_INFINITY;
      default -> size > 0 && size < leastNormal;
    };
  }
}
