package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.IntOp;
import dev.reprise.softgpu.engine.math.Conversion;
import dev.reprise.softgpu.engine.math.FloatBits;
import dev.reprise.softgpu.engine.math.HalfFormat;
import dev.reprise.softgpu.engine.math.IntLanes;
import dev.reprise.softgpu.engine.math.NarrowFormat;
import dev.reprise.softgpu.engine.math.Rounding;
import dev.reprise.softgpu.engine.math.RoundingMode;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Statement;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * {@code cvt} from and to formats that only conversions and matrix instructions know: tf32 and
 * those of at most 8 bits; and {@code cvt.pack}.
 */
final class NarrowDecoder {
  private final Emitter e;

  NarrowDecoder(Emitter e) {
    this.e = e;
  }

  static boolean handles(Statement.Instruction i) {
    return i.modifiers().stream()
        .anyMatch(
            m -> m.equals("pack") || m.equals("tf32") || m.equals("ue8m0x2") || pair(m) != null);
  }

  private static @Nullable NarrowFormat pair(String modifier) {
    return switch (modifier) {
      case "e4m3x2", "e5m2x2", "e3m2x2", "e2m3x2", "e2m1x2" ->
          NarrowFormat.valueOf(modifier.substring(0, 4).toUpperCase(Locale.ROOT));
      default -> null;
    };
  }

  void cvt(Form f) {
    if (f.take("pack")) {
      pack(f);
    } else if (f.take("tf32")) {
      toTensorFloat(f);
    } else if (f.take("ue8m0x2")) {
      powers(f);
    } else {
      pairs(f);
    }
  }

  /** Whether the result has that type: it is named first. */
  private static boolean first(Form f, String type) {
    List<String> modifiers = f.instruction().modifiers();
    return modifiers.indexOf(type) < modifiers.indexOf(f.type().text());
  }

  private void pairs(Form f) {
    NarrowFormat format = null;
    boolean to = false;
    for (String m : f.instruction().modifiers()) {
      NarrowFormat found = pair(m);
      if (found != null && f.take(m)) {
        format = found;
        to = first(f, m);
      }
    }
    f.require("rn");
    boolean relu = f.take("relu");
    if (format == null) {
      throw f.unsupported();
    }
    NarrowFormat h = format;
    if (!to) {
      fromPair(f, h, relu);
      return;
    }
    if (!f.take("satfinite")) {
      throw f.error("needs .satfinite");
    }
    int step = h == NarrowFormat.E2M1 ? 4 : 8;
    PtxType from = f.type();
    if (from == PtxType.F32) {
      f.done(3);
      int a = e.floats(f.operand(1));
      int b = e.floats(f.operand(2));
      result(
          f,
          (w, d) -> {
            for (int k = 0; k < d.length; k++) {
              d[k] = encode(h, w.f[b][k], relu) | encode(h, w.f[a][k], relu) << step;
            }
          });
    } else if (from == PtxType.F16X2 && h != NarrowFormat.E3M2 && h != NarrowFormat.E2M3) {
      f.done(2);
      int a = e.ints(f.operand(1), from);
      result(
          f,
          (w, d) ->
              IntLanes.map(
                  d,
                  w.i[a],
                  x ->
                      encode(h, HalfFormat.F16.decode(x), relu)
                          | encode(h, HalfFormat.F16.decode(x >>> 16), relu) << step));
    } else {
      throw f.unsupported();
    }
  }

  private void result(Form f, IntOp.Eval eval) {
    e.toFittingInt(f.operand(0), PtxType.B16, eval);
  }

  private static int encode(NarrowFormat h, float v, boolean relu) {
    return h.encode(relu && v < 0 ? 0 : v);
  }

  private void fromPair(Form f, NarrowFormat h, boolean relu) {
    if (f.type() != PtxType.F16X2) {
      throw f.unsupported();
    }
    f.done(2);
    int step = h == NarrowFormat.E2M1 ? 4 : 8;
    int a = e.ints(f.operand(1), PtxType.B16);
    e.toInt(
        f.operand(0),
        PtxType.B32,
        (w, d) ->
            IntLanes.map(
                d, w.i[a], x -> half(h.decode(x), relu) | half(h.decode(x >>> step), relu) << 16));
  }

  private static int half(float v, boolean relu) {
    return HalfFormat.F16.encode(relu && v < 0 ? 0 : v);
  }

  private void powers(Form f) {
    PtxType t = f.type();
    if (!first(f, "ue8m0x2")) {
      f.require("rn");
      f.done(2);
      if (t != PtxType.BF16X2) {
        throw f.unsupported();
      }
      int a = e.ints(f.operand(1), PtxType.B16);
      e.toInt(
          f.operand(0),
          PtxType.B32,
          (w, d) ->
              IntLanes.map(
                  d,
                  w.i[a],
                  x ->
                      HalfFormat.BF16.encode(NarrowFormat.decodePower(x))
                          | HalfFormat.BF16.encode(NarrowFormat.decodePower(x >>> 8)) << 16));
      return;
    }
    boolean up = f.require("rz", "rp").equals("rp");
    boolean saturate = f.take("satfinite");
    if (t == PtxType.F32) {
      f.done(3);
      int a = e.floats(f.operand(1));
      int b = e.floats(f.operand(2));
      result(
          f,
          (w, d) -> {
            for (int k = 0; k < d.length; k++) {
              d[k] =
                  NarrowFormat.encodePower(w.f[b][k], up, saturate)
                      | NarrowFormat.encodePower(w.f[a][k], up, saturate) << 8;
            }
          });
    } else if (t == PtxType.BF16X2) {
      f.done(2);
      int a = e.ints(f.operand(1), t);
      result(
          f,
          (w, d) ->
              IntLanes.map(
                  d,
                  w.i[a],
                  x ->
                      NarrowFormat.encodePower(HalfFormat.BF16.decode(x), up, saturate)
                          | NarrowFormat.encodePower(HalfFormat.BF16.decode(x >>> 16), up, saturate)
                              << 8));
    } else {
      throw f.unsupported();
    }
  }

  /** {@code cvt.rna.tf32.f32}: a float with 10 bits of fraction. */
  private void toTensorFloat(Form f) {
    RoundingMode mode = RoundingMode.valueOf(f.require("rna", "rn", "rz").toUpperCase(Locale.ROOT));
    boolean relu = f.take("relu");
    boolean saturate = f.take("satfinite");
    f.done(2);
    if (relu && mode == RoundingMode.RNA) {
      throw f.error("has .relu, which does not go together with .rna");
    }
    if (f.type() != PtxType.F32 || !first(f, "tf32")) {
      throw f.unsupported();
    }
    int a = e.floats(f.operand(1));
    e.toInt(
        f.operand(0),
        PtxType.B32,
        (w, d) -> {
          for (int k = 0; k < d.length; k++) {
            float v = w.f[a][k];
            d[k] = tensorFloat(relu && v < 0 ? 0 : v, mode, saturate);
          }
        });
  }

  private static int tensorFloat(float v, RoundingMode mode, boolean saturate) {
    if (Float.isNaN(v)) {
      return Float.floatToRawIntBits(FloatBits.NAN);
    }
    float r = (float) Rounding.to(Rounding.Format.TENSOR, v, mode);
    if (saturate && Float.isInfinite(r)) {
      r = Math.copySign((float) Rounding.Format.TENSOR.largest(), v);
    }
    return Float.floatToRawIntBits(r);
  }

  /** {@code cvt.pack.sat.T.s32{.b32} d, a, b{, c}}: b, then a, then what fits of c above them. */
  private void pack(Form f) {
    if (!f.take("sat")) {
      throw f.error("needs .sat");
    }
    String narrow = f.takeAny("u4", "s4", "u2", "s2");
    int bits;
    boolean signed;
    if (narrow != null) {
      bits = narrow.charAt(1) - '0';
      signed = narrow.charAt(0) == 's';
    } else {
      bits = f.type().bits();
      signed = f.type().signed();
    }
    boolean above = bits < 16;
    int source = narrow == null ? 1 : 0;
    boolean known =
        bits <= 16
            && f.typeCount() == source + (above ? 2 : 1)
            && f.type(source) == PtxType.S32
            && (!above || f.type(source + 1) == PtxType.B32);
    if (!known) {
      throw f.error("packs .s32 to 16 bits, or to 8 and less with .b32 for what lies above");
    }
    f.done(above ? 4 : 3);
    int a = e.ints(f.operand(1), PtxType.S32);
    int b = e.ints(f.operand(2), PtxType.S32);
    int c = above ? e.ints(f.operand(3), PtxType.B32) : -1;
    int keep = (1 << bits) - 1;
    e.toInt(
        f.operand(0),
        PtxType.B32,
        (w, d) -> {
          for (int k = 0; k < d.length; k++) {
            int low = (int) Conversion.clamp(w.i[b][k], bits, signed) & keep;
            int high = (int) Conversion.clamp(w.i[a][k], bits, signed) & keep;
            d[k] = low | high << bits | (c < 0 ? 0 : w.i[c][k] << 2 * bits);
          }
        });
  }
}
