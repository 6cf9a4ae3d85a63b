package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.math.HalfFormat;
import dev.reprise.softgpu.engine.math.NarrowFormat;
import dev.reprise.softgpu.engine.math.RandomBits;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Statement;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code cvt.rs}: singles to smaller floats, rounded as a register of random bits says. */
final class StochasticDecoder {
  private final Emitter e;

  StochasticDecoder(Emitter e) {
    this.e = e;
  }

  static boolean handles(Statement.Instruction i) {
    return i.has("rs");
  }

  void cvt(Form f) {
    f.require("rs");
    boolean relu = f.take("relu");
    boolean finite = f.take("satfinite");
    NarrowFormat format = quad(f);
    PtxType from = f.type(f.typeCount() - 1);
    if (from != PtxType.F32) {
      throw f.error("rounds .f32 only, not ." + from.text());
    }
    if (format != null && f.typeCount() == 1) {
      four(f, format, relu, finite);
    } else if (f.typeCount() == 2 && (f.type() == PtxType.F16X2 || f.type() == PtxType.BF16X2)) {
      two(f, f.type(), relu, finite);
    } else {
      throw f.error(
          "has a result that .rs cannot round to; it can to .f16x2, .bf16x2, .e4m3x4, .e5m2x4,"
              + " .e3m2x4, .e2m3x4 and .e2m1x4");
    }
  }

  private static @Nullable NarrowFormat quad(Form f) {
    for (NarrowFormat h : NarrowFormat.values()) {
      if (f.take(h.name().toLowerCase(Locale.ROOT) + "x4")) {
        return h;
      }
    }
    return null;
  }

  /** {@code d, a, b, rbits}: a goes to the upper half. */
  private void two(Form f, PtxType to, boolean relu, boolean finite) {
    f.done(4);
    HalfFormat h = HalfDecoder.format(to);
    int a = e.floats(f.operand(1));
    int b = e.floats(f.operand(2));
    int random = e.ints(e.bits(f.operand(3), 4, "with random bits"), PtxType.B32);
    e.toInt(
        e.bits(f.operand(0), 4, "for the result"),
        to,
        (w, d) -> {
          for (int k = 0; k < d.length; k++) {
            int r = w.i[random][k];
            d[k] =
                half(h, w.f[b][k], r, relu, finite)
                    | half(h, w.f[a][k], r >>> 16, relu, finite) << 16;
          }
        });
  }

  private static int half(HalfFormat h, float v, int random, boolean relu, boolean finite) {
    int bits = h.encodeRandomly(relu && v < 0 ? 0 : v, random);
    // One below the bits of an infinity lies the largest finite number.
    return finite && Float.isInfinite(h.decode(bits)) ? bits - 1 : bits;
  }

  /** {@code d, {a, b, e, f}, rbits}: a goes to the top. */
  private void four(Form f, NarrowFormat h, boolean relu, boolean finite) {
    if (!finite) {
      throw f.error("needs .satfinite");
    }
    f.done(3);
    List<Operand> parts = f.operand(1) instanceof Operand.Vector v ? v.elements() : List.of();
    if (parts.size() != 4) {
      throw f.error("needs four values in braces as operand 2");
    }
    int[] from = new int[4];
    for (int k = 0; k < from.length; k++) {
      from[k] = e.floats(parts.get(k));
    }
    boolean small = h == NarrowFormat.E2M1;
    int step = small ? 4 : 8;
    int random = e.ints(e.bits(f.operand(2), 4, "with random bits"), PtxType.B32);
    e.toFittingInt(
        e.bits(f.operand(0), small ? 2 : 4, "for the result"),
        small ? PtxType.B16 : PtxType.B32,
        (w, d) -> {
          for (int k = 0; k < d.length; k++) {
            int r = w.i[random][k];
            int bits = 0;
            for (int part = 0; part < 4; part++) {
              float v = w.f[from[part]][k];
              int slice = RandomBits.ofQuad(r, part, small);
              bits = bits << step | h.encodeRandomly(relu && v < 0 ? 0 : v, slice);
            }
            d[k] = bits;
          }
        });
  }
}
