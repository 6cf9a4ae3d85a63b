package dev.reprise.llama.gguf;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * One tensor of a file.
 *
 * <p>Dimensions are in GGML order: {@code dim(0)} is the one whose elements lie next to each other,
 * so a weight matrix with {@code rows} outputs and {@code columns} inputs has the dimensions {@code
 * [columns, rows]}. The data is little-endian, read-only, lies row after row without gaps, and is
 * aligned in the file, though the segment gives no promise of alignment in memory. It can be read
 * until the file is closed.
 */
public final class GgufTensor {
  private final String name;
  private final GgufTensorType type;
  private final long[] dims;
  private final long elements;
  private final MemorySegment data;

  GgufTensor(String name, GgufTensorType type, long[] dims, long elements, MemorySegment data) {
    this.name = name;
    this.type = type;
    this.dims = dims.clone();
    this.elements = elements;
    this.data = data.asReadOnly();
  }

  /** The name, unique in its file. */
  public String name() {
    return name;
  }

  /** The type of the elements. */
  public GgufTensorType type() {
    return type;
  }

  /** How many dimensions there are, 1 to 4. */
  public int rank() {
    return dims.length;
  }

  /** The dimensions, fastest varying first. */
  public long[] dims() {
    return dims.clone();
  }

  /** One dimension; those past the rank are 1. */
  public long dim(int index) {
    return index < dims.length ? dims[index] : 1;
  }

  /** The number of elements: the product of the dimensions. */
  public long elements() {
    return elements;
  }

  /** The elements as they lie in the file, exactly as many bytes as they take. */
  public MemorySegment data() {
    return data;
  }

  /** The dimensions as text, such as {@code [128, 1024]}. */
  public String shape() {
    return Arrays.stream(dims).mapToObj(Long::toString).collect(Collectors.joining(", ", "[", "]"));
  }

  @Override
  public String toString() {
    return name + " " + type + " " + shape();
  }
}
