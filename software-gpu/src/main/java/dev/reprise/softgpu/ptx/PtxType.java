package dev.reprise.softgpu.ptx;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Fundamental types (PTX ISA, "Types") and the packed ones that instructions name. */
public enum PtxType {
  PRED(Kind.PREDICATE, 1),
  B8(Kind.BITS, 1),
  B16(Kind.BITS, 2),
  B32(Kind.BITS, 4),
  B64(Kind.BITS, 8),
  B128(Kind.BITS, 16),
  U8(Kind.UNSIGNED, 1),
  U16(Kind.UNSIGNED, 2),
  U32(Kind.UNSIGNED, 4),
  U64(Kind.UNSIGNED, 8),
  S8(Kind.SIGNED, 1),
  S16(Kind.SIGNED, 2),
  S32(Kind.SIGNED, 4),
  S64(Kind.SIGNED, 8),
  F16(Kind.FLOAT, 2),
  BF16(Kind.FLOAT, 2),
  F16X2(Kind.FLOAT, 4),
  BF16X2(Kind.FLOAT, 4),
  F32(Kind.FLOAT, 4),
  F64(Kind.FLOAT, 8);

  /** What the bits mean. */
  public enum Kind {
    PREDICATE,
    BITS,
    UNSIGNED,
    SIGNED,
    FLOAT
  }

  private static final Map<String, PtxType> BY_NAME = new HashMap<>();

  static {
    for (PtxType t : values()) {
      BY_NAME.put(t.text(), t);
    }
  }

  private final Kind kind;
  private final int bytes;

  PtxType(Kind kind, int bytes) {
    this.kind = kind;
    this.bytes = bytes;
  }

  public Kind kind() {
    return kind;
  }

  /** Size in memory; 1 for a predicate. */
  public int bytes() {
    return bytes;
  }

  public int bits() {
    return bytes * 8;
  }

  public boolean signed() {
    return kind == Kind.SIGNED;
  }

  public boolean floating() {
    return kind == Kind.FLOAT;
  }

  /** Spelling without the dot. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The type with that spelling, without the dot, or null. */
  public static @Nullable PtxType of(String text) {
    return BY_NAME.get(text);
  }
}
