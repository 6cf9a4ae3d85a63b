package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.PtxType;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Which types and modifiers of {@code cvt} go together (PTX ISA, "cvt"). */
final class ConversionRules {
  private static final String TO_FLOAT = ".rn, .rz, .rm or .rp";
  private static final String TO_INTEGER = ".rni, .rzi, .rmi or .rpi";

  private ConversionRules() {}

  /**
   * The modifiers of a conversion.
   *
   * @param rounding {@code rn} or {@code rni} and their like, null where there is none
   */
  record Modifiers(
      @Nullable String rounding, boolean ftz, boolean sat, boolean relu, boolean satfinite) {
    static Modifiers take(Form f) {
      return new Modifiers(
          f.takeAny("rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"),
          f.take("ftz"),
          f.take("sat"),
          f.take("relu"),
          f.take("satfinite"));
    }

    /** Whether the result is a whole number. */
    boolean whole() {
      return rounding != null && rounding.endsWith("i");
    }

    /** Whether the result is rounded to the digits that it has. */
    boolean plain() {
      return rounding != null && !rounding.endsWith("i");
    }
  }

  private static String named(PtxType t) {
    return "." + t.text().toLowerCase(Locale.ROOT);
  }

  /** Refuses what does not go together, between single values. */
  static void check(Form f, PtxType to, PtxType from, Modifiers m) {
    if (unknown(to) || unknown(from)) {
      throw f.unsupported();
    }
    boolean bfloat = to == PtxType.BF16 || from == PtxType.BF16;
    if (bfloat && (to.bytes() == 1 || from.bytes() == 1)) {
      throw f.error("has no form for .bf16 and integers of 8 bits");
    }
    rounding(f, to, from, m);
    if (m.ftz && to != PtxType.F32 && from != PtxType.F32) {
      throw f.error("has .ftz, which is for .f32 only");
    }
    if (m.sat && bfloat) {
      throw f.error("has .sat, which is not for .bf16");
    }
    if (m.sat && !to.floating() && !from.floating() && holds(to, from)) {
      throw f.error("has .sat, but " + named(to) + " holds every " + named(from));
    }
    if (m.relu || m.satfinite) {
      boolean half = to == PtxType.F16 || to == PtxType.BF16;
      narrowed(f, half && from == PtxType.F32, m);
    }
  }

  /** Refuses what does not go together, from two singles to a pair. */
  static void checkPair(Form f, PtxType from, Modifiers m) {
    narrowed(f, from == PtxType.F32, m);
  }

  /** Conversions that clamp; those to pairs know no others. */
  private static void narrowed(Form f, boolean types, Modifiers m) {
    if (!types) {
      throw f.error("converts .f32 to .f16 and .bf16 only, and pairs of them");
    }
    if (!("rn".equals(m.rounding) || "rz".equals(m.rounding))) {
      throw f.error("needs .rn or .rz");
    }
    if (m.ftz || m.sat) {
      throw f.error("has ." + (m.ftz ? "ftz" : "sat") + ", which does not go together with it");
    }
  }

  private static boolean unknown(PtxType t) {
    return switch (t) {
      case U8, U16, U32, U64, S8, S16, S32, S64, F16, BF16, F32, F64 -> false;
      default -> true;
    };
  }

  private static boolean holds(PtxType to, PtxType from) {
    return to.signed() == from.signed()
        ? to.bytes() >= from.bytes()
        : to.signed() && to.bytes() > from.bytes();
  }

  private static void rounding(Form f, PtxType to, PtxType from, Modifiers m) {
    if (!to.floating()) {
      if (from.floating() && !m.whole()) {
        throw f.error("needs " + TO_INTEGER);
      }
      if (!from.floating() && m.rounding != null) {
        throw f.error("converts integers, which are not rounded");
      }
      return;
    }
    if (to == from) {
      if (m.plain()) {
        throw f.error("changes no digits; it can have " + TO_INTEGER);
      }
      return;
    }
    boolean exact = from.floating() && from.bytes() < to.bytes();
    // Where bf16 widens or becomes f16, or f16 becomes bf16, the rounding may be named or not.
    boolean free = from == PtxType.BF16 || (from == PtxType.F16 && to == PtxType.BF16);
    if (m.whole()) {
      throw f.error("goes with " + TO_INTEGER + " for integers and within one type only");
    }
    if (exact && !free && m.rounding != null) {
      throw f.error("is exact and has no rounding");
    }
    if (!exact && !free && m.rounding == null) {
      throw f.error("needs " + TO_FLOAT);
    }
  }
}
