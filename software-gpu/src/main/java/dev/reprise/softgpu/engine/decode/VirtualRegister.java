package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.ptx.PtxType;
import org.jspecify.annotations.Nullable;

/** A register of the PTX text. */
final class VirtualRegister implements Symbol {
  final String name;
  final PtxType type;

  /** Class of the array that holds it; settled before the first use is decoded. */
  RegisterKind kind;

  /** Number of that array, -1 until the first use. */
  int index = -1;

  /** Uses as a float less uses as an integer, for registers whose type says neither. */
  int floatUses;

  /** For single precision: whether it may hold bits that no arithmetic made. */
  boolean raw;

  /** The value that an integer register always has, or null. */
  @Nullable Long constant;

  /** The upper half of a register of 128 bits, else null. */
  final @Nullable VirtualRegister high;

  VirtualRegister(String name, PtxType type) {
    high = type == PtxType.B128 ? new VirtualRegister(name + " (upper half)", PtxType.B64) : null;
    this.name = name;
    this.type = type;
    kind = kindOf(type);
  }

  static RegisterKind kindOf(PtxType type) {
    return switch (type) {
      case PRED -> RegisterKind.PREDICATE;
      case F32 -> RegisterKind.FLOAT;
      case F64 -> RegisterKind.DOUBLE;
      case B64, U64, S64, B128 -> RegisterKind.LONG;
      default -> RegisterKind.INT;
    };
  }
}
