package dev.reprise.llama.adapter;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.reprise.graph.json.JsonDocument;
import dev.reprise.graph.json.JsonFormatException;
import dev.reprise.graph.json.JsonValue;
import dev.reprise.llama.text.Quote;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The matrices of a safetensors file: a header of JSON behind its length, then the data without
 * gaps (format description of the safetensors project). Every length and offset is checked before
 * anything is read or allocated for it.
 */
final class SafetensorsFile {

  /** The limit of the format itself. */
  private static final long MAX_HEADER = 100_000_000;

  private static final String METADATA = "__metadata__";
  private static final ValueLayout.OfLong U64 =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private record Range(String tensor, long from, long to) {}

  private final String name;
  private final Map<String, Matrix> matrices = new LinkedHashMap<>();

  SafetensorsFile(String name, MemorySegment bytes) {
    this.name = name;
    long headerBytes = headerBytes(bytes);
    JsonValue header = header(bytes.asSlice(Long.BYTES, headerBytes));
    MemorySegment data = bytes.asSlice(Long.BYTES + headerBytes);
    List<Range> ranges = new ArrayList<>();
    try {
      for (String tensor : header.names()) {
        if (!tensor.equals(METADATA)) {
          ranges.add(add(tensor, header.field(tensor), data));
        }
      }
    } catch (JsonFormatException e) {
      throw new AdapterFileException(name, "its header is wrong: " + e.getMessage(), e);
    }
    checkNoGaps(ranges, data.byteSize());
  }

  private long headerBytes(MemorySegment bytes) {
    if (bytes.byteSize() < Long.BYTES) {
      throw new AdapterFileException(
          name, "it has %d bytes and is no safetensors file".formatted(bytes.byteSize()));
    }
    long length = bytes.get(U64, 0);
    long most = Math.min(MAX_HEADER, bytes.byteSize() - Long.BYTES);
    if (length < 2 || length > most) {
      throw new AdapterFileException(
          name,
          "it says that its header has %s bytes; in a file of %d bytes 2 to %d are possible"
              .formatted(Long.toUnsignedString(length), bytes.byteSize(), most));
    }
    return length;
  }

  private JsonValue header(MemorySegment bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(bytes.asByteBuffer()).toString();
      return JsonDocument.parse("header", 1, text);
    } catch (CharacterCodingException e) {
      throw new AdapterFileException(name, "its header is not UTF-8", e);
    } catch (JsonFormatException e) {
      throw new AdapterFileException(name, "its header is wrong: " + e.getMessage(), e);
    }
  }

  private Range add(String tensor, JsonValue entry, MemorySegment data) {
    entry.knows("dtype", "shape", "data_offsets");
    Matrix.Type type = type(tensor, entry.field("dtype").text());
    List<JsonValue> shape = entry.field("shape").items();
    if (shape.size() != 2) {
      throw wrong(tensor, "has %d dimensions; it must be a matrix".formatted(shape.size()));
    }
    int rows = (int) shape.get(0).whole(1, Integer.MAX_VALUE);
    int columns = (int) shape.get(1).whole(1, Integer.MAX_VALUE);
    List<JsonValue> offsets = entry.field("data_offsets").items();
    if (offsets.size() != 2) {
      throw wrong(tensor, "has %d data offsets, not 2".formatted(offsets.size()));
    }
    long from = offsets.get(0).whole(0, Long.MAX_VALUE);
    long to = offsets.get(1).whole(0, Long.MAX_VALUE);
    long elements = (long) rows * columns;
    if (elements > Integer.MAX_VALUE) {
      throw wrong(tensor, "has %d x %d elements, which is too many".formatted(rows, columns));
    }
    if (to > data.byteSize() || from > to || to - from != elements * type.bytes()) {
      throw wrong(
          tensor,
          "is said to lie at bytes %d to %d of %d; %d x %d elements of %s take %d"
              .formatted(from, to, data.byteSize(), rows, columns, type, elements * type.bytes()));
    }
    matrices.put(tensor, new Matrix(rows, columns, type, data.asSlice(from, to - from)));
    return new Range(tensor, from, to);
  }

  private Matrix.Type type(String tensor, String dtype) {
    for (Matrix.Type type : Matrix.Type.values()) {
      if (type.name().equals(dtype)) {
        return type;
      }
    }
    throw wrong(tensor, "has elements of " + Quote.quote(dtype) + "; F32, F16 and BF16 do");
  }

  private void checkNoGaps(List<Range> ranges, long bytes) {
    ranges.sort(Comparator.comparingLong(Range::from));
    long at = 0;
    for (Range range : ranges) {
      if (range.from() != at) {
        throw wrong(
            range.tensor(),
            "begins at byte %d of the data, where %d is next: tensors overlap or leave a gap"
                .formatted(range.from(), at));
      }
      at = range.to();
    }
    if (at != bytes) {
      throw new AdapterFileException(
          name, "its data has %d bytes and its tensors take %d".formatted(bytes, at));
    }
  }

  private AdapterFileException wrong(String tensor, String what) {
    return new AdapterFileException(name, "tensor " + Quote.quote(tensor) + " " + what);
  }

  /** The matrices by name, in the order of the header. */
  Map<String, Matrix> matrices() {
    return matrices;
  }
}
