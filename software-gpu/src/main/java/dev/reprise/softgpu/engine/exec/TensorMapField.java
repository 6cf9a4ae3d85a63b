package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;

/** Fields of tensor maps that kernels replace (PTX ISA, "tensormap.replace"). */
public enum TensorMapField {
  GLOBAL_ADDRESS(Kind.WIDE, 0, Long.MAX_VALUE, 16) {
    @Override
    void set(MemorySegment map, int ordinal, long value) {
      map.set(JAVA_LONG_UNALIGNED, TensorMap.ADDRESS_AT, value);
    }
  },
  /** Counted from 0. */
  RANK(Kind.NUMBER, 0, TensorMap.RANKS - 1L, 1) {
    @Override
    void set(MemorySegment map, int ordinal, long value) {
      map.set(JAVA_BYTE, TensorMap.RANK_AT, (byte) (value + 1));
    }
  },
  BOX_DIM(Kind.EACH, 1, 256, 1) {
    @Override
    void set(MemorySegment map, int ordinal, long value) {
      map.set(JAVA_SHORT_UNALIGNED, TensorMap.BOX_AT + 2L * ordinal, (short) value);
    }
  },
  GLOBAL_DIM(Kind.EACH, 1, 0xffff_ffffL, 1) {
    @Override
    void set(MemorySegment map, int ordinal, long value) {
      map.set(JAVA_INT_UNALIGNED, TensorMap.EXTENTS_AT + 4L * ordinal, (int) (value - 1));
    }
  },
  GLOBAL_STRIDE(Kind.EACH_WIDE, 0, (1L << 40) - 1, 16) {
    @Override
    void set(MemorySegment map, int ordinal, long value) {
      map.set(JAVA_LONG_UNALIGNED, TensorMap.STRIDES_AT + 8L * ordinal, value);
    }
  },
  ELEMENT_STRIDE(Kind.EACH, 1, 8, 1) {
    @Override
    void set(MemorySegment map, int ordinal, long value) {
      map.set(JAVA_BYTE, TensorMap.STEPS_AT + (long) ordinal, (byte) value);
    }
  },
  ELEMTYPE(Kind.CONSTANT, 0, 15, 1) {
    @Override
    void set(MemorySegment map, int ordinal, long value) {
      map.set(JAVA_BYTE, TensorMap.TYPE_AT, (byte) TYPES.get((int) value).ordinal());
    }
  },
  SWIZZLE_MODE(Kind.CONSTANT, 0, 3, 1) {
    @Override
    void set(MemorySegment map, int ordinal, long value) {
      map.set(JAVA_BYTE, TensorMap.SWIZZLE_AT, (byte) value);
    }
  },
  SWIZZLE_ATOMICITY(Kind.CONSTANT, 0, 3, 1) {
    @Override
    void set(MemorySegment map, int ordinal, long value) {
      map.set(JAVA_BYTE, TensorMap.ATOMICITY_AT, (byte) value);
    }
  },
  FILL_MODE(Kind.CONSTANT, 0, 1, 1) {
    @Override
    void set(MemorySegment map, int ordinal, long value) {
      map.set(JAVA_BYTE, TensorMap.FILL_AT, (byte) value);
    }
  };

  /** How a field is given. */
  private enum Kind {
    NUMBER,
    WIDE,
    /** One for each dimension. */
    EACH,
    EACH_WIDE,
    /** A constant of the instruction. */
    CONSTANT
  }

  /** In the order of PTX, which is not that of the driver. */
  private static final List<TensorElement> TYPES =
      List.of(
          TensorElement.U8,
          TensorElement.U16,
          TensorElement.U32,
          TensorElement.S32,
          TensorElement.U64,
          TensorElement.S64,
          TensorElement.F16,
          TensorElement.F32,
          TensorElement.F32_FTZ,
          TensorElement.F64,
          TensorElement.BF16,
          TensorElement.TF32,
          TensorElement.TF32_FTZ,
          TensorElement.U4,
          TensorElement.U4_GAP_8,
          TensorElement.U6_GAP_4);

  private final Kind kind;
  private final long least;
  private final long most;
  private final int unit;

  TensorMapField(Kind kind, long least, long most, int unit) {
    this.kind = kind;
    this.least = least;
    this.most = most;
    this.unit = unit;
  }

  /** What PTX calls it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether values have 64 bits. */
  public boolean wide() {
    return kind == Kind.WIDE || kind == Kind.EACH_WIDE;
  }

  /** Whether each dimension has one. */
  public boolean each() {
    return kind == Kind.EACH || kind == Kind.EACH_WIDE;
  }

  /** Whether the value stands in the instruction. */
  public boolean constant() {
    return kind == Kind.CONSTANT;
  }

  /** Whether a map can have this value. */
  public boolean allows(long value) {
    return value >= least && value <= most && value % unit == 0;
  }

  /** The values that a map can have, for messages. */
  public String range() {
    return unit == 1 ? least + " to " + most : "a multiple of " + unit + " up to " + most;
  }

  /** Writes a value that is allowed. */
  abstract void set(MemorySegment map, int ordinal, long value);
}
