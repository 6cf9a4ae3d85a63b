package dev.reprise.llama.gguf;

import org.jspecify.annotations.Nullable;

/**
 * The types of a metadata value, with the numbers they have in a file (GGUF specification, {@code
 * gguf_metadata_value_type}).
 */
public enum GgufValueType {
  UINT8(0, 1),
  INT8(1, 1),
  UINT16(2, 2),
  INT16(3, 2),
  UINT32(4, 4),
  INT32(5, 4),
  FLOAT32(6, 4),
  BOOL(7, 1),
  STRING(8, 0),
  ARRAY(9, 0),
  UINT64(10, 8),
  INT64(11, 8),
  FLOAT64(12, 8);

  private final int id;
  private final int bytes;

  GgufValueType(int id, int bytes) {
    this.id = id;
    this.bytes = bytes;
  }

  /** The number of the type in a file. */
  public int id() {
    return id;
  }

  /** The size of a value in bytes, or 0 for strings and arrays, whose size varies. */
  public int bytes() {
    return bytes;
  }

  /** Whether a value is an integer; booleans are not. */
  public boolean isInteger() {
    return bytes > 0 && this != BOOL && !isFloat();
  }

  /** Whether a value is a floating-point number. */
  public boolean isFloat() {
    return this == FLOAT32 || this == FLOAT64;
  }

  /**
   * The fewest bytes that one element of an array takes: a string has a length, an array a type and
   * a count.
   */
  int smallestBytes() {
    return switch (this) {
      case STRING -> 8;
      case ARRAY -> 12;
      default -> bytes;
    };
  }

  static @Nullable GgufValueType of(long id) {
    GgufValueType[] all = values();
    return id >= 0 && id < all.length ? all[(int) id] : null;
  }
}
