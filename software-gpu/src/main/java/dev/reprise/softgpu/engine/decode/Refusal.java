package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.PtxException;

/** Why instructions that exist are not executed. */
final class Refusal {
  private Refusal() {}

  static PtxException of(Form f) {
    String why = reason(f.opcode());
    return why == null ? f.unsupported() : f.unsupported(why);
  }

  private static @org.jspecify.annotations.Nullable String reason(String opcode) {
    return switch (opcode) {
      case "tex", "tld4", "txq", "istypep", "suld", "sust", "sured", "suq" ->
          "the software GPU has no textures and surfaces";
      case "wgmma", "tcgen05" ->
          "the software GPU has the warp's matrix instructions (mma, wmma), not those of warp groups";
      case "multimem" -> "the software GPU has no multicast memory";
      case "clusterlaunchcontrol" -> "the software GPU gives clusters no work of others";
      default -> null;
    };
  }
}
