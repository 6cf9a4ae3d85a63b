package dev.reprise.llama.gguf;

import dev.reprise.llama.text.Quote;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a file: typed values under keys.
 *
 * <p>A getter without a fallback fails with a {@link GgufException} when the key is not there;
 * every getter fails so when the value has another type or lies outside the range, and names the
 * key, both types and the place. Values are read from the file at each call, so they must be
 * fetched before the file is closed.
 */
public final class GgufMetadata {
  /** Where a value lies. */
  record Entry(GgufValueType type, long offset) {}

  private final MemorySegment bytes;
  private final String file;
  private final long limit;
  private final Map<String, Entry> entries;

  GgufMetadata(MemorySegment bytes, String file, long limit, Map<String, Entry> entries) {
    this.bytes = bytes;
    this.file = file;
    this.limit = limit;
    this.entries = Collections.unmodifiableMap(entries);
  }

  /** The keys in the order of the file. */
  public Set<String> keys() {
    return entries.keySet();
  }

  /** Whether there is such a key. */
  public boolean has(String key) {
    return entries.containsKey(key);
  }

  /** The type of a value. */
  public GgufValueType type(String key) {
    return entry(key).type;
  }

  /**
   * A value of any type: {@code Integer} for integers up to 16 bits and INT32, {@code Long} for
   * UINT32, UINT64 (as bits) and INT64, {@code Float}, {@code Double}, {@code Boolean}, {@code
   * String}, or a {@code List} of these.
   */
  public Object value(String key) {
    Entry entry = entry(key);
    return GgufValues.read(cursor(entry), entry.type, what(key));
  }

  /** A string. */
  public String string(String key) {
    return string(key, entry(key));
  }

  /** A string, if the key is there. */
  public Optional<String> optionalString(String key) {
    return Optional.ofNullable(entries.get(key)).map(entry -> string(key, entry));
  }

  /**
   * A non-negative integer of any integer type that fits an {@code int}: the sizes and counts of a
   * model.
   */
  public int u32(String key) {
    return (int) integer(key, entry(key), 0, Integer.MAX_VALUE);
  }

  /** As {@link #u32(String)}, with the value to take when there is no such key. */
  public int u32(String key, int otherwise) {
    Entry entry = entries.get(key);
    return entry == null ? otherwise : (int) integer(key, entry, 0, Integer.MAX_VALUE);
  }

  /** A floating-point number of either size. */
  public float f32(String key) {
    return number(key, entry(key));
  }

  /** As {@link #f32(String)}, with the value to take when there is no such key. */
  public float f32(String key, float otherwise) {
    Entry entry = entries.get(key);
    return entry == null ? otherwise : number(key, entry);
  }

  /** A boolean, with the value to take when there is no such key. */
  public boolean bool(String key, boolean otherwise) {
    Entry entry = entries.get(key);
    if (entry == null) {
      return otherwise;
    }
    if (entry.type != GgufValueType.BOOL) {
      throw mismatch(key, entry, "BOOL", entry.type.toString());
    }
    return cursor(entry).bool(what(key));
  }

  /** An array of strings. */
  public List<String> strings(String key) {
    Entry entry = entry(key);
    GgufCursor cursor = cursor(entry);
    GgufValues.ArrayHead head = arrayHead(key, entry, cursor, "ARRAY of STRING");
    if (head.type() != GgufValueType.STRING) {
      throw mismatch(key, entry, "ARRAY of STRING", "ARRAY of " + head.type());
    }
    String[] all = new String[(int) head.count()];
    for (int i = 0; i < all.length; i++) {
      all[i] = cursor.string("element " + i + " of " + what(key), 0, GgufCursor.MAX_STRING_BYTES);
    }
    return List.of(all);
  }

  /** An array of integers of any integer type whose values fit an {@code int}. */
  public int[] ints(String key) {
    Entry entry = entry(key);
    GgufCursor cursor = cursor(entry);
    GgufValues.ArrayHead head = arrayHead(key, entry, cursor, "ARRAY of integers");
    if (!head.type().isInteger()) {
      throw mismatch(key, entry, "ARRAY of integers", "ARRAY of " + head.type());
    }
    int[] all = new int[(int) head.count()];
    for (int i = 0; i < all.length; i++) {
      all[i] = (int) integer(cursor, head.type(), key, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }
    return all;
  }

  private String string(String key, Entry entry) {
    if (entry.type != GgufValueType.STRING) {
      throw mismatch(key, entry, "STRING", entry.type.toString());
    }
    return cursor(entry).string(what(key), 0, GgufCursor.MAX_STRING_BYTES);
  }

  private long integer(String key, Entry entry, long min, long max) {
    if (!entry.type.isInteger()) {
      throw mismatch(key, entry, "an integer", entry.type.toString());
    }
    return integer(cursor(entry), entry.type, key, min, max);
  }

  private static long integer(
      GgufCursor cursor, GgufValueType type, String key, long min, long max) {
    long start = cursor.position();
    long value = GgufValues.integer(cursor, type, what(key));
    if (value < min || value > max) {
      String found =
          type == GgufValueType.UINT64 ? Long.toUnsignedString(value) : Long.toString(value);
      throw cursor.error(start, what(key) + " from " + min + " to " + max, found);
    }
    return value;
  }

  private float number(String key, Entry entry) {
    if (!entry.type.isFloat()) {
      throw mismatch(key, entry, "FLOAT32 or FLOAT64", entry.type.toString());
    }
    return (float) GgufValues.number(cursor(entry), entry.type, what(key));
  }

  private GgufValues.ArrayHead arrayHead(
      String key, Entry entry, GgufCursor cursor, String expected) {
    if (entry.type != GgufValueType.ARRAY) {
      throw mismatch(key, entry, expected, entry.type.toString());
    }
    return GgufValues.boundedHead(cursor, what(key));
  }

  private Entry entry(String key) {
    @Nullable Entry entry = entries.get(key);
    if (entry == null) {
      throw GgufException.of(
          file, "there is no metadata key " + Quote.quote(key) + " among its " + entries.size());
    }
    return entry;
  }

  private GgufCursor cursor(Entry entry) {
    return new GgufCursor(bytes, file, entry.offset, limit);
  }

  private GgufException mismatch(String key, Entry entry, String expected, String found) {
    return GgufException.at(file, entry.offset, what(key) + " to be " + expected, found);
  }

  private static String what(String key) {
    return "metadata " + Quote.quote(key);
  }
}
