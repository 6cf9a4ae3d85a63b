package dev.reprise.softgpu.engine.exec;

import org.jspecify.annotations.Nullable;

/**
 * How the lines of 128 bytes of shared memory are rearranged, in the order of {@code
 * CUtensorMapSwizzle} (PTX ISA, "Swizzling Modes").
 */
public enum TensorSwizzle {
  NONE(0, 0, 0),
  B32(32, 1, 4),
  B64(64, 3, 4),
  B128(128, 7, 4),
  B128_ATOM_32(128, 3, 5),
  /** In odd lines the halves of each 16 bytes change places too. */
  B128_ATOM_32_FLIP_8(128, 3, 5),
  B128_ATOM_64(128, 1, 6);

  private static final int LINE_BITS = 7;
  private static final int HALF = 8;

  private final int span;
  private final int lines;
  private final int atomBits;

  TensorSwizzle(int span, int lines, int atomBits) {
    this.span = span;
    this.lines = lines;
    this.atomBits = atomBits;
  }

  /** Bytes within which chunks change places; a row of a box is no longer. 0 for none. */
  public int span() {
    return span;
  }

  /** What {@code .swizzle_mode} is called by. */
  int mode() {
    return Math.min(ordinal(), B128.ordinal());
  }

  /** What {@code .swizzle_atomicity} is called by. */
  int atomicity() {
    return ordinal() - mode();
  }

  /** The swizzle of a mode and an atomicity; null where they do not go together. */
  static @Nullable TensorSwizzle of(int mode, int atomicity) {
    for (TensorSwizzle s : values()) {
      if (s.mode() == mode && (s.atomicity() == atomicity || s == NONE)) {
        return s;
      }
    }
    return null;
  }

  /** Bytes that stay together. */
  int unit() {
    return this == B128_ATOM_32_FLIP_8 ? HALF : BulkAccess.UNIT;
  }

  /** Where a byte goes that would go to an address in shared memory without swizzling. */
  long place(long at) {
    long line = at >>> LINE_BITS;
    long place = at ^ (line & lines) << atomBits;
    return this == B128_ATOM_32_FLIP_8 ? place ^ (line & 1) * HALF : place;
  }
}
