package dev.reprise.llama.gguf;

import dev.reprise.llama.text.Quote;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the header, the metadata and the tensor list of a GGUF file of version 2 or 3.
 *
 * <p>The file is not trusted. Work and memory grow with the size of the file at most, and what is
 * kept on the heap is limited by the constants below, whatever the file says.
 */
final class GgufParser {
  /** The most metadata keys, and the most tensors. Known files have some hundreds of each. */
  static final int MAX_ENTRIES = 1 << 16;

  /**
   * The most bytes before the tensor data. Known files have some megabytes, nearly all of them the
   * vocabulary.
   */
  static final long MAX_HEAD_BYTES = 128L << 20;

  /** The longest key and the longest tensor name, in bytes. */
  static final int MAX_KEY_BYTES = 65_535;

  static final int MAX_NAME_BYTES = 255;
  static final int MAX_DIMS = 4;

  private static final String ALIGNMENT = "general.alignment";
  private static final int DEFAULT_ALIGNMENT = 32;
  private static final int SMALLEST_KEY_BYTES = 8 + 1 + 4 + 1;
  private static final int SMALLEST_TENSOR_BYTES = 8 + 1 + 4 + 8 + 4 + 8;

  /** A tensor as the list describes it; {@code offset} counts from the start of the tensor data. */
  private record Info(
      String name,
      GgufTensorType type,
      long[] dims,
      long elements,
      long bytes,
      long offset,
      long offsetAt) {}

  private final MemorySegment bytes;
  private final String file;
  private final GgufCursor cursor;

  private GgufParser(MemorySegment bytes, String file) {
    this.bytes = bytes;
    this.file = file;
    this.cursor = new GgufCursor(bytes, file, 0, Math.min(bytes.byteSize(), MAX_HEAD_BYTES));
  }

  static GgufContents parse(MemorySegment bytes, String file) {
    return new GgufParser(bytes, file).parse();
  }

  private GgufContents parse() {
    GgufMagic.check(bytes, file);
    cursor.skip(4, "the magic");
    int version = (int) cursor.u32("the version");
    long tensorCount = cursor.count("a tensor count", 0, MAX_ENTRIES, SMALLEST_TENSOR_BYTES);
    long keyCount = cursor.count("a metadata key count", 0, MAX_ENTRIES, SMALLEST_KEY_BYTES);
    GgufMetadata metadata = metadata(keyCount);
    long alignment = alignment(metadata);
    Map<String, Info> infos = infos(tensorCount, alignment);
    long dataStart = cursor.position() + (-cursor.position() & (alignment - 1));
    checkPlaces(infos, dataStart);
    Map<String, GgufTensor> tensors = new LinkedHashMap<>();
    infos.forEach((name, info) ->
        tensors.put(
            name,
            new GgufTensor(
                name,
                info.type,
                info.dims,
                info.elements,
                bytes.asSlice(dataStart + info.offset, info.bytes))));
    return new GgufContents(version, metadata, tensors);
  }

  private GgufMetadata metadata(long count) {
    Map<String, GgufMetadata.Entry> entries = new LinkedHashMap<>();
    for (long i = 0; i < count; i++) {
      long start = cursor.position();
      String key = cursor.string("metadata key " + i, 1, MAX_KEY_BYTES);
      String what = "metadata " + Quote.quote(key);
      GgufValueType type = GgufValues.type(cursor, "a type of " + what);
      if (entries.putIfAbsent(key, new GgufMetadata.Entry(type, cursor.position())) != null) {
        throw cursor.error(start, "a metadata key that was not there before", Quote.quote(key));
      }
      GgufValues.skip(cursor, type, 0, what);
    }
    return new GgufMetadata(bytes, file, cursor.position(), entries);
  }

  private long alignment(GgufMetadata metadata) {
    int alignment = metadata.u32(ALIGNMENT, DEFAULT_ALIGNMENT);
    if (Integer.bitCount(alignment) != 1) {
      throw GgufException.of(file, ALIGNMENT + " must be a power of two, and is " + alignment);
    }
    return alignment;
  }

  private Map<String, Info> infos(long count, long alignment) {
    Map<String, Info> infos = new LinkedHashMap<>();
    for (long i = 0; i < count; i++) {
      long start = cursor.position();
      String name = cursor.string("the name of tensor " + i, 1, MAX_NAME_BYTES);
      if (infos.putIfAbsent(name, info(name, alignment)) != null) {
        throw cursor.error(start, "a tensor name that was not there before", Quote.quote(name));
      }
    }
    return infos;
  }

  private Info info(String name, long alignment) {
    String what = "tensor " + Quote.quote(name);
    long rankAt = cursor.position();
    long rank = cursor.u32("the number of dimensions of " + what);
    if (rank < 1 || rank > MAX_DIMS) {
      throw cursor.error(
          rankAt, "1 to " + MAX_DIMS + " dimensions of " + what, Long.toString(rank));
    }
    long[] dims = new long[(int) rank];
    long elements = 1;
    for (int i = 0; i < dims.length; i++) {
      dims[i] = dimension(i, elements, what);
      elements *= dims[i];
    }
    long typeAt = cursor.position();
    long id = cursor.u32("the type of " + what);
    GgufTensorType type = GgufTensorType.of(id);
    if (type == null) {
      throw cursor.error(typeAt, "a known type of " + what, "type number " + id);
    }
    if (dims[0] % type.blockElements() != 0) {
      throw cursor.error(
          typeAt,
          what + " of type " + type + " to have rows of a multiple of " + type.blockElements(),
          Long.toString(dims[0]));
    }
    long blocks = elements / type.blockElements();
    if (blocks > bytes.byteSize() / type.blockBytes()) {
      throw cursor.error(
          typeAt,
          what + " to fit the file of " + bytes.byteSize() + " bytes",
          elements + " elements of type " + type);
    }
    long offsetAt = cursor.position();
    long offset = cursor.i64("the offset of " + what);
    if ((offset & (alignment - 1)) != 0) {
      throw cursor.error(
          offsetAt,
          "an offset of " + what + " that is a multiple of the alignment " + alignment,
          Long.toUnsignedString(offset));
    }
    return new Info(name, type, dims, elements, blocks * type.blockBytes(), offset, offsetAt);
  }

  private long dimension(int index, long elementsSoFar, String what) {
    long at = cursor.position();
    long dim = cursor.i64("dimension " + index + " of " + what);
    if (dim < 1 || dim > Long.MAX_VALUE / elementsSoFar) {
      throw cursor.error(
          at,
          "dimension " + index + " of " + what + " to be 1 or more, with a product below 2^63",
          Long.toUnsignedString(dim));
    }
    return dim;
  }

  /** Every tensor must lie inside the file, and no two may share a byte. */
  private void checkPlaces(Map<String, Info> infos, long dataStart) {
    long room = Math.max(0, bytes.byteSize() - dataStart);
    List<Info> byOffset = new ArrayList<>(infos.values());
    for (Info info : byOffset) {
      if (info.offset < 0 || info.offset > room - info.bytes) {
        throw cursor.error(
            info.offsetAt,
            "the "
                + info.bytes
                + " bytes of tensor "
                + Quote.quote(info.name)
                + " to lie in the "
                + room
                + " bytes of tensor data, which begin at byte "
                + dataStart
                + " of "
                + bytes.byteSize(),
            "offset " + Long.toUnsignedString(info.offset));
      }
    }
    byOffset.sort(Comparator.comparingLong(Info::offset));
    for (int i = 1; i < byOffset.size(); i++) {
      Info before = byOffset.get(i - 1);
      Info info = byOffset.get(i);
      if (before.offset + before.bytes > info.offset) {
        throw cursor.error(
            info.offsetAt,
            "tensor "
                + Quote.quote(info.name)
                + " to begin after tensor "
                + Quote.quote(before.name)
                + ", which ends at offset "
                + (before.offset + before.bytes),
            "offset " + info.offset);
      }
    }
  }
}
