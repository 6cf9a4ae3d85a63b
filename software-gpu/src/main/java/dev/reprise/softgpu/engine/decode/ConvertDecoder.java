package dev.reprise.softgpu.engine.decode;

import static dev.reprise.softgpu.engine.exec.LaneFunction.i;
import static dev.reprise.softgpu.engine.exec.LaneFunction.l;

import dev.reprise.softgpu.engine.exec.DoubleOp;
import dev.reprise.softgpu.engine.exec.FloatOp;
import dev.reprise.softgpu.engine.exec.IntOp;
import dev.reprise.softgpu.engine.exec.LongOp;
import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.engine.exec.Warp;
import dev.reprise.softgpu.engine.math.Conversion;
import dev.reprise.softgpu.engine.math.FloatLanes;
import dev.reprise.softgpu.engine.math.HalfFormat;
import dev.reprise.softgpu.engine.math.IntLanes;
import dev.reprise.softgpu.engine.math.LongLanes;
import dev.reprise.softgpu.engine.math.Rounding;
import dev.reprise.softgpu.engine.math.RoundingMode;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import java.util.Locale;

/** {@code cvt} between all integer types, f16, bf16, f32 and f64 (PTX ISA, "cvt"). */
final class ConvertDecoder {
  private static final int LANES = Warp.LANES;

  private final Emitter e;

  ConvertDecoder(Emitter e) {
    this.e = e;
  }

  void cvt(Form f) {
    PtxType to = f.type(0);
    PtxType from = f.type(1);
    ConversionRules.Modifiers m = ConversionRules.Modifiers.take(f);
    boolean integral = m.whole();
    String rounding = m.rounding();
    RoundingMode mode =
        rounding == null
            ? RoundingMode.RN
            : RoundingMode.valueOf(rounding.substring(0, 2).toUpperCase(Locale.ROOT));
    boolean ftz = m.ftz();
    boolean sat = m.sat();
    if (to == PtxType.F16X2 || to == PtxType.BF16X2) {
      ConversionRules.checkPair(f, from, m);
      pack(f, to, mode, m);
      return;
    }
    if (f.typeCount() != 2) {
      throw f.unsupported();
    }
    f.done(2);
    ConversionRules.check(f, to, from, m);
    if (m.relu() || m.satfinite()) {
      clamped(f, to, mode, m);
      return;
    }
    Operand source = f.operand(1);
    if (!to.floating() && !from.floating()) {
      integers(f, to, from, sat);
    } else if (!from.floating()) {
      fromInteger(f, to, from, mode, sat);
    } else if (!to.floating()) {
      toInteger(f, to, from, mode, ftz);
    } else if (to == PtxType.F64) {
      DoubleOp.Eval value = real(source, from, ftz);
      e.toDouble(
          f.operand(0),
          (w, d) -> {
            value.eval(w, d);
            for (int k = 0; k < LANES; k++) {
              double v = integral ? mode.integral(d[k]) : d[k];
              d[k] = sat ? (v > 0 ? Math.min(v, 1) : 0) : v;
            }
          });
    } else {
      toSmallFloat(f, to, from, mode, integral, ftz, sat);
    }
  }

  /** {@code cvt.rn.f16x2.f32 d, a, b}: a goes to the upper half. */
  private void pack(Form f, PtxType to, RoundingMode mode, ConversionRules.Modifiers m) {
    boolean relu = m.relu();
    boolean finite = m.satfinite();
    f.done(3);
    HalfFormat h = HalfDecoder.format(to);
    int a = e.floats(f.operand(1));
    int b = e.floats(f.operand(2));
    e.toInt(
        f.operand(0),
        to,
        (w, d) -> {
          for (int k = 0; k < LANES; k++) {
            int low = half(h, w.f[b][k], mode, relu, finite);
            d[k] = low | half(h, w.f[a][k], mode, relu, finite) << 16;
          }
        });
  }

  private static int half(HalfFormat h, float v, RoundingMode mode, boolean relu, boolean finite) {
    float x = relu && v < 0 ? 0 : v;
    int bits = mode == RoundingMode.RN ? h.encode(x) : h.encode(x, mode);
    // One below the bits of an infinity lies the largest finite number.
    return finite && Float.isInfinite(h.decode(bits)) ? bits - 1 : bits;
  }

  private void clamped(Form f, PtxType to, RoundingMode mode, ConversionRules.Modifiers m) {
    boolean relu = m.relu();
    boolean finite = m.satfinite();
    HalfFormat h = HalfDecoder.format(to);
    int a = e.floats(f.operand(1));
    e.toFittingInt(
        f.operand(0),
        to,
        (w, d) -> {
          for (int k = 0; k < LANES; k++) {
            d[k] = half(h, w.f[a][k], mode, relu, finite);
          }
        });
  }

  private void integers(Form f, PtxType to, PtxType from, boolean sat) {
    Operand source = f.operand(1);
    boolean widens = to.bytes() == 8 && from.bytes() == 4;
    if (!sat && widens) {
      int a = e.ints(source, from);
      e.toLong(
          f.operand(0),
          from.signed()
              ? LongOp.describe((w, d) -> LongLanes.extendS(d, w.i[a]), "extendS", i(a))
              : LongOp.describe((w, d) -> LongLanes.extendU(d, w.i[a]), "extendU", i(a)));
      return;
    }
    if (!sat && to.bytes() <= 4 && from.bytes() <= 4) {
      int a = e.ints(source, from);
      e.toInt(
          f.operand(0),
          to,
          switch (to) {
            case S8 -> IntOp.describe((w, d) -> IntLanes.signed8(d, w.i[a]), "signed8", i(a));
            case U8, B8 -> IntOp.describe((w, d) -> IntLanes.low8(d, w.i[a]), "low8", i(a));
            case S16 -> IntOp.describe((w, d) -> IntLanes.signed16(d, w.i[a]), "signed16", i(a));
            case U16, B16 -> IntOp.describe((w, d) -> IntLanes.low16(d, w.i[a]), "low16", i(a));
            default -> IntOp.describe((w, d) -> IntLanes.mov(d, w.i[a]), "mov", i(a));
          });
      return;
    }
    int a = e.longs(source, from);
    boolean fromSigned = from.signed();
    int bits = to.bits();
    boolean signed = to.signed();
    int clamped = a;
    if (sat) {
      clamped = e.temporary(RegisterKind.LONG);
      e.emit(
          new LongOp(
              clamped,
              (w, d) -> {
                for (int k = 0; k < LANES; k++) {
                  d[k] =
                      fromSigned
                          ? Conversion.clamp(w.l[a][k], bits, signed)
                          : Conversion.clampUnsigned(w.l[a][k], bits, signed);
                }
              }));
    }
    int v = clamped;
    if (to.bytes() == 8) {
      e.toLong(f.operand(0), LongOp.describe((w, d) -> LongLanes.mov(d, w.l[v]), "mov", l(v)));
      return;
    }
    e.toInt(
        f.operand(0),
        to,
        (w, d) -> {
          LongLanes.low(d, w.l[v]);
          if (bits < 32) {
            int up = 32 - bits;
            for (int k = 0; k < LANES; k++) {
              d[k] = signed ? d[k] << up >> up : d[k] << up >>> up;
            }
          }
        });
  }

  private void fromInteger(Form f, PtxType to, PtxType from, RoundingMode mode, boolean sat) {
    Operand source = f.operand(1);
    boolean unsigned = !from.signed();
    boolean small = from.bytes() < 4 || (from.bytes() == 4 && !unsigned);
    if (to == PtxType.F32 && mode == RoundingMode.RN && from.bytes() <= 4 && !sat) {
      int a = e.ints(source, from);
      e.toFloat(
          f.operand(0),
          small
              ? FloatOp.describe((w, d) -> FloatLanes.ofS32(d, w.i[a]), "ofS32", i(a))
              : FloatOp.describe((w, d) -> FloatLanes.ofU32(d, w.i[a]), "ofU32", i(a)));
      return;
    }
    int a = e.longs(source, from);
    switch (to) {
      case F64 ->
          e.toDouble(
              f.operand(0),
              (w, d) -> {
                for (int k = 0; k < LANES; k++) {
                  double v = Conversion.toDouble(w.l[a][k], unsigned, mode);
                  d[k] = sat ? Math.clamp(v, 0.0, 1.0) : v;
                }
              });
      case F32 ->
          e.toFloat(
              f.operand(0),
              (w, d) -> {
                for (int k = 0; k < LANES; k++) {
                  float v = Conversion.toFloat(w.l[a][k], unsigned, mode);
                  d[k] = sat ? Math.clamp(v, 0f, 1f) : v;
                }
              });
      default -> {
        HalfFormat h = HalfDecoder.format(to);
        e.toInt(
            f.operand(0),
            to,
            (w, d) -> {
              for (int k = 0; k < LANES; k++) {
                long v = w.l[a][k];
                // Above 0, a number without sign that looks negative included, lies 1.
                long x = sat ? (v > 0 || unsigned && v != 0 ? 1 : 0) : v;
                d[k] = Conversion.toHalf(h, x, unsigned, mode);
              }
            });
      }
    }
  }

  private void toInteger(Form f, PtxType to, PtxType from, RoundingMode mode, boolean ftz) {
    Operand source = f.operand(1);
    if (from == PtxType.F32 && to == PtxType.S32 && mode == RoundingMode.RZ) {
      int a = e.floats(source);
      e.toInt(f.operand(0), to, (w, d) -> FloatLanes.toS32(d, w.f[a]));
      return;
    }
    DoubleOp.Eval value = real(source, from, ftz);
    boolean nanAsZero = from != PtxType.F64 && to.bytes() < 8;
    int bits = to.bits();
    boolean signed = to.signed();
    if (to.bytes() == 8) {
      e.toLong(
          f.operand(0),
          (w, d) -> {
            double[] v = new double[LANES];
            value.eval(w, v);
            for (int k = 0; k < LANES; k++) {
              d[k] = Conversion.toInteger(v[k], mode, bits, signed, nanAsZero);
            }
          });
    } else {
      e.toInt(
          f.operand(0),
          to,
          (w, d) -> {
            double[] v = new double[LANES];
            value.eval(w, v);
            for (int k = 0; k < LANES; k++) {
              d[k] = (int) Conversion.toInteger(v[k], mode, bits, signed, nanAsZero);
            }
          });
    }
  }

  private void toSmallFloat(
      Form f,
      PtxType to,
      PtxType from,
      RoundingMode mode,
      boolean integral,
      boolean ftz,
      boolean sat) {
    Operand source = f.operand(1);
    if (to == PtxType.F32) {
      e.toFloat(f.operand(0), toFloat(source, from, mode, integral, ftz, sat));
      return;
    }
    HalfFormat h = HalfDecoder.format(to);
    if (from == PtxType.F32 && mode == RoundingMode.RN && !integral && !sat && !ftz) {
      int a = e.floats(source);
      IntOp.Eval eval =
          (w, d) -> {
            for (int k = 0; k < LANES; k++) {
              d[k] = h.encode(w.f[a][k]);
            }
          };
      e.toFittingInt(f.operand(0), to, eval);
      return;
    }
    DoubleOp.Eval value = real(source, from, ftz);
    e.toInt(
        f.operand(0),
        to,
        (w, d) -> {
          double[] v = new double[LANES];
          value.eval(w, v);
          for (int k = 0; k < LANES; k++) {
            double x = integral ? mode.integral(v[k]) : v[k];
            x = sat ? (x > 0 ? Math.min(x, 1) : 0) : x;
            d[k] = h.encode(x, integral ? RoundingMode.RN : mode);
          }
        });
  }

  private FloatOp.Eval toFloat(
      Operand source, PtxType from, RoundingMode mode, boolean integral, boolean ftz, boolean sat) {
    if (from == PtxType.F16 && !integral && !sat) {
      int a = e.ints(source, from);
      return FloatOp.describe((w, d) -> FloatLanes.ofHalf(d, w.i[a]), "ofHalf", i(a));
    }
    if (from == PtxType.F32 && !integral && !ftz) {
      int a = e.floats(source);
      return (w, d) -> {
        FloatLanes.mov(d, w.f[a]);
        if (sat) {
          FloatLanes.saturate(d);
        }
      };
    }
    DoubleOp.Eval value = real(source, from, ftz);
    return (w, d) -> {
      double[] v = new double[LANES];
      value.eval(w, v);
      for (int k = 0; k < LANES; k++) {
        double x = integral ? mode.integral(v[k]) : v[k];
        d[k] = Rounding.toFloat(x, integral ? RoundingMode.RN : mode);
      }
      if (ftz) {
        FloatLanes.flush(d, d);
      }
      if (sat) {
        FloatLanes.saturate(d);
      }
    };
  }

  /** The source as doubles, exactly. */
  private DoubleOp.Eval real(Operand source, PtxType from, boolean ftz) {
    if (from == PtxType.F64) {
      int a = e.doubles(source);
      return (w, d) -> System.arraycopy(w.d[a], 0, d, 0, LANES);
    }
    if (from == PtxType.F32) {
      int a = e.floats(source);
      return (w, d) -> {
        for (int k = 0; k < LANES; k++) {
          float v = w.f[a][k];
          d[k] = ftz && Math.abs(v) < Float.MIN_NORMAL ? v * 0f : v;
        }
      };
    }
    HalfFormat h = HalfDecoder.format(from);
    int a = e.ints(source, from);
    return (w, d) -> {
      for (int k = 0; k < LANES; k++) {
        d[k] = h.decode(w.i[a][k]);
      }
    };
  }
}
