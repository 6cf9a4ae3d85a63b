package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Statement;

/** Which types and modifiers of {@code fma} go together (PTX ISA, "fma"). */
final class FusedRules {
  private FusedRules() {}

  /** Refuses what does not go together; takes nothing from the form. */
  static void check(Form f) {
    Statement.Instruction i = f.instruction();
    PtxType t = f.typeCount() == 0 ? PtxType.F32 : f.type();
    boolean packedSingles = i.has("f32x2");
    boolean mixed = f.typeCount() > 1;
    if (mixed && t != PtxType.F32) {
      throw f.error("takes factors of another type for .f32 only");
    }
    boolean half = t == PtxType.F16 || t == PtxType.F16X2;
    boolean bfloat = t == PtxType.BF16 || t == PtxType.BF16X2;
    if (!i.has("rn") && (half || !(i.has("rz") || i.has("rm") || i.has("rp")))) {
      throw f.error("needs " + (half ? ".rn" : ".rn, .rz, .rm or .rp"));
    }
    if (i.has("ftz") && (mixed || bfloat || t == PtxType.F64)) {
      throw f.error("has .ftz, which is for .f32, .f32x2, .f16 and .f16x2 only");
    }
    if (i.has("sat") && !(half || (t == PtxType.F32 && !packedSingles))) {
      throw f.error("has .sat, which is for .f32, .f16 and .f16x2 only");
    }
    if ((i.has("relu") || i.has("oob")) && !half && !bfloat) {
      throw f.error("has ." + (i.has("oob") ? "oob" : "relu") + ", which is for halves only");
    }
    if (i.has("sat") && i.has("relu")) {
      throw f.error("has both .sat and .relu");
    }
    if (i.has("oob") && i.has("ftz")) {
      throw f.error("has .oob, which does not go together with .ftz");
    }
  }
}
