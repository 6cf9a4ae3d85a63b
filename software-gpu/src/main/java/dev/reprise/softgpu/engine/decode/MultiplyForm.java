package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.decode.MatrixDecoder.Extent;
import dev.reprise.softgpu.engine.exec.MatrixElement;
import java.util.List;
import java.util.Set;

/**
 * Which form of {@code mma} an instruction is: shape, types and how the multiplicands are held, as
 * far as they go together.
 *
 * @param sparse whether a is sparse
 * @param factors scale factors of a row of a or a column of b, 0 where they are not scaled
 * @param powers whether these are powers of two
 */
record MultiplyForm(
    Extent shape,
    MatrixElement d,
    MatrixElement a,
    MatrixElement b,
    MatrixElement c,
    boolean sparse,
    int factors,
    boolean powers) {

  /** What the modifiers say that are no types. */
  private record Variant(boolean sparse, boolean ordered, String kind) {
    boolean scaled() {
      return kind.startsWith("mx");
    }

    /** Whether e2m1 lies packed, without bits between. */
    boolean packed() {
      return kind.startsWith("mxf4");
    }
  }

  private static final Set<MatrixElement> BYTES =
      Set.of(
          MatrixElement.E4M3,
          MatrixElement.E5M2,
          MatrixElement.E3M2,
          MatrixElement.E2M3,
          MatrixElement.E2M1_IN_BYTE);

  /** Whether lanes work on four products, in the oldest shape. */
  boolean quads() {
    return a == MatrixElement.F16 && shape.equals(new Extent(8, 8, 4));
  }

  /** Takes all modifiers that the form is made of; refuses what does not go together. */
  static MultiplyForm take(Form f) {
    boolean ordered = f.take("sp::ordered_metadata");
    boolean sparse = ordered || f.take("sp");
    String kind = f.takeAny("kind::f8f6f4", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4");
    Variant v = new Variant(sparse, ordered, kind == null ? "" : kind.substring(6));
    Extent shape = Extent.take(f);
    List<MatrixElement> types = MatrixDecoder.elements(f);
    if (types.size() != 4) {
      throw f.error("needs four types: of d, a, b and c");
    }
    MatrixElement a = multiplicand(types.get(1), v);
    MatrixElement b = multiplicand(types.get(2), v);
    if (sparse && !ordered && kind != null) {
      throw f.error("needs .sp::ordered_metadata with ." + kind);
    }
    pair(f, a, b, v);
    shapes(f, shape, a, b, v);
    sums(f, types.get(0), a, types.get(3), shape, v);
    int factors = factors(f, v);
    boolean powers = v.scaled() && scaleType(f, factors);
    return new MultiplyForm(shape, types.get(0), a, b, types.get(3), sparse, factors, powers);
  }

  private static MatrixElement multiplicand(MatrixElement t, Variant v) {
    return t == MatrixElement.E2M1 && !v.packed() ? MatrixElement.E2M1_IN_BYTE : t;
  }

  private static void pair(Form f, MatrixElement a, MatrixElement b, Variant v) {
    boolean small = BYTES.contains(a) && BYTES.contains(b);
    boolean together =
        switch (a) {
          case S8, U8 -> b == MatrixElement.S8 || b == MatrixElement.U8;
          case S4, U4 -> b == MatrixElement.S4 || b == MatrixElement.U4;
          default -> a == b || small;
        };
    if (!together) {
      throw f.error("does not multiply " + named(a) + " by " + named(b));
    }
    if (small && v.kind.isEmpty() && !(eight(a) && eight(b))) {
      throw f.error("needs .kind::f8f6f4 for " + named(eight(a) ? b : a));
    }
    if (v.packed() ? a != MatrixElement.E2M1 : !v.kind.isEmpty() && !small) {
      throw f.error("is of .kind::" + v.kind + ", which does not multiply " + named(a));
    }
  }

  private static boolean eight(MatrixElement t) {
    return t == MatrixElement.E4M3 || t == MatrixElement.E5M2;
  }

  private static String named(MatrixElement t) {
    return "." + MatrixDecoder.text(t);
  }

  private static void shapes(Form f, Extent shape, MatrixElement a, MatrixElement b, Variant v) {
    String all =
        switch (a) {
          case F16 -> v.sparse ? "m16n8k16, m16n8k32" : "m8n8k4, m16n8k8, m16n8k16";
          case BF16 -> v.sparse ? "m16n8k16, m16n8k32" : "m16n8k8, m16n8k16";
          case TF32 -> v.sparse ? "m16n8k8, m16n8k16" : "m16n8k4, m16n8k8";
          case F64 -> v.sparse ? "" : "m8n8k4, m16n8k4, m16n8k8, m16n8k16";
          case E2M1 -> v.sparse ? "m16n8k128" : "m16n8k64";
          case E4M3, E5M2, E3M2, E2M3, E2M1_IN_BYTE ->
              v.sparse
                  ? "m16n8k64"
                  : !v.scaled() && eight(a) && eight(b) ? "m16n8k16, m16n8k32" : "m16n8k32";
          case S8, U8 -> v.sparse ? "m16n8k32, m16n8k64" : "m8n8k16, m16n8k16, m16n8k32";
          case S4, U4 -> v.sparse ? "m16n8k64, m16n8k128" : "m8n8k32, m16n8k32, m16n8k64";
          case B1 -> v.sparse ? "" : "m8n8k128, m16n8k128, m16n8k256";
          case F32, S32 -> "";
        };
    if (all.isEmpty()) {
      throw f.error("does not multiply " + named(a) + (v.sparse ? " where a is sparse" : ""));
    }
    if (!List.of(all.split(", ", -1)).contains(shape.toString())) {
      throw f.error("has a shape that " + named(a) + " has not; there is " + all);
    }
  }

  private static void sums(
      Form f, MatrixElement d, MatrixElement a, MatrixElement c, Extent shape, Variant v) {
    MatrixElement wide =
        a == MatrixElement.F64 ? a : a.integral() ? MatrixElement.S32 : MatrixElement.F32;
    // Only the oldest shape changes the type in between, and not to the smaller one.
    boolean change = a == MatrixElement.F16 && shape.m() == 8;
    boolean half =
        a == MatrixElement.F16 || (BYTES.contains(a) && !v.scaled() && (!v.sparse || v.ordered));
    boolean known =
        (d == wide || (half && d == MatrixElement.F16))
            && (c == d || (change && d == wide && c == MatrixElement.F16));
    if (!known) {
      throw f.error(
          "sums products of "
              + named(a)
              + " in "
              + named(wide)
              + (half ? " or .f16" : "")
              + (change ? "" : ", the same for c and d")
              + "; not in "
              + named(d)
              + " with c of "
              + named(c));
    }
  }

  /** How many scale factors there are along the dimension that is summed over. */
  private static int factors(Form f, Variant v) {
    String given = f.takeAny("scale_vec::1X", "scale_vec::2X", "scale_vec::4X");
    int factors = given == null ? 0 : given.charAt(11) - '0';
    if (f.take("block_scale") != v.scaled()) {
      throw f.error(
          v.scaled()
              ? "needs .block_scale with .kind::" + v.kind
              : "has .block_scale, which needs .kind::mxf8f6f4, .kind::mxf4 or .kind::mxf4nvf4");
    }
    switch (v.kind) {
      case "mxf8f6f4" -> {
        return fixed(f, factors, 1);
      }
      case "mxf4" -> {
        return fixed(f, factors, 2);
      }
      case "mxf4nvf4" -> {
        if (factors < 2) {
          throw f.error("needs .scale_vec::2X or .scale_vec::4X");
        }
        return factors;
      }
      default -> {
        if (given != null) {
          throw f.error("has ." + given + " but no .block_scale");
        }
        return 0;
      }
    }
  }

  private static int fixed(Form f, int given, int known) {
    if (given != 0 && given != known) {
      throw f.error("has .scale_vec::" + given + "X; there is .scale_vec::" + known + "X");
    }
    return known;
  }

  /** Whether the factors are ue8m0, powers of two; else they are ue4m3. */
  private static boolean scaleType(Form f, int factors) {
    boolean powers = f.require("ue8m0", "ue4m3").equals("ue8m0");
    if (powers == (factors == 4)) {
      throw f.error(
          powers
              ? "has scale factors .ue8m0, which do not go with .scale_vec::4X"
              : "has scale factors .ue4m3, which go with .scale_vec::4X only");
    }
    return powers;
  }
}
