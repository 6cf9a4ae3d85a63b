package dev.reprise.llama.gguf;

import java.util.ArrayList;
import java.util.List;

/** Walks over metadata values, and turns them into Java objects when they are asked for. */
final class GgufValues {
  /** How deep arrays may lie in arrays. */
  static final int MAX_DEPTH = 4;

  /** The most elements that one value may have when it is turned into Java objects. */
  static final int MAX_ELEMENTS = 1 << 22;

  /** The head of an array: what its elements are and how many there are. */
  record ArrayHead(GgufValueType type, long count) {}

  private GgufValues() {}

  static GgufValueType type(GgufCursor cursor, String what) {
    long start = cursor.position();
    long id = cursor.u32(what);
    GgufValueType type = GgufValueType.of(id);
    if (type == null) {
      throw cursor.error(start, what + " from 0 to 12", Long.toString(id));
    }
    return type;
  }

  /**
   * Moves past a value. Single values are checked to the last bit; elements of arrays when they are
   * read.
   */
  static void skip(GgufCursor cursor, GgufValueType type, int depth, String what) {
    switch (type) {
      case STRING -> cursor.string(what, 0, GgufCursor.MAX_STRING_BYTES);
      case BOOL -> cursor.bool(what);
      case ARRAY -> skipArray(cursor, depth, what);
      default -> cursor.skip(type.bytes(), what);
    }
  }

  private static void skipArray(GgufCursor cursor, int depth, String what) {
    long start = cursor.position();
    if (depth == MAX_DEPTH) {
      throw cursor.error(
          start, "arrays nested at most " + MAX_DEPTH + " deep in " + what, "a deeper one");
    }
    ArrayHead head = head(cursor, what);
    if (head.type.bytes() > 0) {
      cursor.skip(head.count * head.type.bytes(), what);
      return;
    }
    for (long i = 0; i < head.count; i++) {
      if (head.type == GgufValueType.STRING) {
        cursor.skip(
            cursor.count("a length of a string in " + what, 0, GgufCursor.MAX_STRING_BYTES, 1),
            what);
      } else {
        skipArray(cursor, depth + 1, what);
      }
    }
  }

  static ArrayHead head(GgufCursor cursor, String what) {
    GgufValueType type = type(cursor, "an element type of " + what);
    long count =
        cursor.count("an element count of " + what, 0, Long.MAX_VALUE, type.smallestBytes());
    return new ArrayHead(type, count);
  }

  /** An array whose elements are about to be kept on the heap, so their number is limited. */
  static ArrayHead boundedHead(GgufCursor cursor, String what) {
    long start = cursor.position();
    ArrayHead head = head(cursor, what);
    if (head.count > MAX_ELEMENTS) {
      throw cursor.error(
          start, "at most " + MAX_ELEMENTS + " elements in " + what, Long.toString(head.count));
    }
    return head;
  }

  /** Unsigned values come back in the next larger type, 64-bit ones as the bits they are. */
  static Object read(GgufCursor cursor, GgufValueType type, String what) {
    return switch (type) {
      case UINT8, INT8, UINT16, INT16, INT32 -> (int) integer(cursor, type, what);
      case UINT32, UINT64, INT64 -> integer(cursor, type, what);
      case FLOAT32 -> (float) number(cursor, type, what);
      case FLOAT64 -> number(cursor, type, what);
      case BOOL -> cursor.bool(what);
      case STRING -> cursor.string(what, 0, GgufCursor.MAX_STRING_BYTES);
      case ARRAY -> list(cursor, what);
    };
  }

  private static List<Object> list(GgufCursor cursor, String what) {
    ArrayHead head = boundedHead(cursor, what);
    List<Object> all = new ArrayList<>();
    for (long i = 0; i < head.count; i++) {
      all.add(read(cursor, head.type, what));
    }
    return List.copyOf(all);
  }

  static long integer(GgufCursor cursor, GgufValueType type, String what) {
    return switch (type) {
      case UINT8 -> cursor.i8(what) & 0xff;
      case INT8 -> cursor.i8(what);
      case UINT16 -> cursor.i16(what) & 0xffff;
      case INT16 -> cursor.i16(what);
      case UINT32 -> cursor.u32(what);
      case INT32 -> cursor.i32(what);
      case UINT64, INT64 -> cursor.i64(what);
      case FLOAT32, FLOAT64, BOOL, STRING, ARRAY ->
          throw new IllegalArgumentException(type + " is no integer");
    };
  }

  static double number(GgufCursor cursor, GgufValueType type, String what) {
    return type == GgufValueType.FLOAT32
        ? Float.intBitsToFloat(cursor.i32(what))
        : Double.longBitsToDouble(cursor.i64(what));
  }
}
