package dev.reprise.llama.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads little-endian values one after the other. Nothing is read, and nothing is allocated, before
 * it is known to lie inside the limit.
 */
final class GgufCursor {
  /** The longest string; the longest known ones are chat templates of some tens of kilobytes. */
  static final long MAX_STRING_BYTES = 16L << 20;

  private static final ValueLayout.OfShort I16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt I32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong I64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemorySegment bytes;
  private final String file;
  private final long limit;
  private long at;

  /**
   * @param limit where reading must stop: the end of the file, or before it
   */
  GgufCursor(MemorySegment bytes, String file, long at, long limit) {
    this.bytes = bytes;
    this.file = file;
    this.at = at;
    this.limit = limit;
  }

  long position() {
    return at;
  }

  long left() {
    return limit - at;
  }

  byte i8(String what) {
    need(1, what);
    return bytes.get(ValueLayout.JAVA_BYTE, at++);
  }

  short i16(String what) {
    need(2, what);
    short value = bytes.get(I16, at);
    at += 2;
    return value;
  }

  int i32(String what) {
    need(4, what);
    int value = bytes.get(I32, at);
    at += 4;
    return value;
  }

  long u32(String what) {
    return Integer.toUnsignedLong(i32(what));
  }

  /** The bits of a 64-bit value; the caller decides whether they are signed. */
  long i64(String what) {
    need(8, what);
    long value = bytes.get(I64, at);
    at += 8;
    return value;
  }

  boolean bool(String what) {
    long start = at;
    byte value = i8(what);
    if (value != 0 && value != 1) {
      throw error(start, what + " of 0 or 1", Integer.toString(value & 0xff));
    }
    return value == 1;
  }

  /**
   * A count or a length that must not exceed {@code max}, nor the number of elements of {@code
   * elementBytes} bytes that the bytes left can hold.
   */
  long count(String what, long min, long max, long elementBytes) {
    long start = at;
    long value = i64(what);
    long fits = Math.min(max, left() / elementBytes);
    if (value < min || value > fits) {
      throw error(
          start,
          what
              + " from "
              + min
              + " to "
              + max
              + ", and no more than the "
              + left()
              + " bytes left can hold",
          Long.toUnsignedString(value));
    }
    return value;
  }

  /** A string: a 64-bit length and that many bytes of well-formed UTF-8. */
  String string(String what, long min, long max) {
    int length = (int) count("a length of " + what, min, max, 1);
    if (length == 0) {
      return "";
    }
    byte[] copy = new byte[length];
    MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, at, copy, 0, length);
    String text = new String(copy, StandardCharsets.UTF_8);
    // Only text with a replacement character can come from malformed bytes, and that is rare.
    if (text.indexOf('\uFFFD') >= 0) {
      requireUtf8(copy, what);
    }
    at += length;
    return text;
  }

  void skip(long count, String what) {
    need(count, what);
    at += count;
  }

  GgufException error(long offset, String expected, String found) {
    return GgufException.at(file, offset, expected, found);
  }

  private void requireUtf8(byte[] copy, String what) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(copy));
    } catch (CharacterCodingException malformed) {
      throw error(at, what + " in UTF-8", "malformed bytes (" + malformed.getMessage() + ")");
    }
  }

  private void need(long count, String what) {
    if (count > left()) {
      throw error(at, what + " of " + count + (count == 1 ? " byte" : " bytes"), ending());
    }
  }

  private String ending() {
    return limit == bytes.byteSize()
        ? "the end of the file after " + left()
        : "the limit of " + limit + " bytes for all that comes before the tensor data";
  }
}
