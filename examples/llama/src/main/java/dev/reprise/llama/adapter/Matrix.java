package dev.reprise.llama.adapter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A matrix in a file, little-endian, row after row.
 *
 * @param rows rows
 * @param columns columns
 * @param type how an element is written
 * @param data exactly its bytes
 */
record Matrix(int rows, int columns, Type type, MemorySegment data) {

  private static final ValueLayout.OfFloat F32 =
      JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort U16 =
      JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** How an element is written. */
  enum Type {
    F32(4),
    F16(2),
    BF16(2);

    private final int bytes;

    Type(int bytes) {
      this.bytes = bytes;
    }

    int bytes() {
      return bytes;
    }
  }

  /** All elements. */
  float[] values() {
    float[] values = new float[Math.multiplyExact(rows, columns)];
    for (int i = 0; i < values.length; i++) {
      long at = (long) i * type.bytes;
      values[i] =
          switch (type) {
            case F32 -> data.get(F32, at);
            case F16 -> Float.float16ToFloat(data.get(U16, at));
            case BF16 -> Float.intBitsToFloat(data.get(U16, at) << 16);
          };
    }
    return values;
  }
}
