package dev.reprise.llama.gguf;

import java.util.ArrayList;
import java.util.List;

/**
 * Writes well-formed GGUF files for tests. The last tensor is not padded, so that every cut of the
 * file is damage.
 */
public final class GgufWriter {
  private record Tensor(String name, int type, long[] dims, byte[] data) {}

  private final GgufBytes metadata = new GgufBytes();
  private final List<Tensor> tensors = new ArrayList<>();
  private final int version;
  private final int alignment;
  private int keys;

  public GgufWriter() {
    this(3, 32);
  }

  public GgufWriter(int version, int alignment) {
    this.version = version;
    this.alignment = alignment;
    if (alignment != 32) {
      u32("general.alignment", alignment);
    }
  }

  /** Begins a value; the caller writes its bytes. */
  public GgufBytes key(String key, GgufValueType type) {
    keys++;
    return metadata.string(key).u32(type.id());
  }

  public GgufWriter string(String key, String value) {
    key(key, GgufValueType.STRING).string(value);
    return this;
  }

  public GgufWriter u32(String key, long value) {
    key(key, GgufValueType.UINT32).u32(value);
    return this;
  }

  public GgufWriter bool(String key, boolean value) {
    key(key, GgufValueType.BOOL).u8(value ? 1 : 0);
    return this;
  }

  public GgufWriter strings(String key, List<String> values) {
    GgufBytes out = key(key, GgufValueType.ARRAY).u32(GgufValueType.STRING.id()).u64(values.size());
    values.forEach(out::string);
    return this;
  }

  public GgufWriter ints(String key, int... values) {
    GgufBytes out = key(key, GgufValueType.ARRAY).u32(GgufValueType.INT32.id()).u64(values.length);
    for (int value : values) {
      out.u32(value);
    }
    return this;
  }

  public GgufWriter tensor(String name, GgufTensorType type, byte[] data, long... dims) {
    tensors.add(new Tensor(name, type.id(), dims, data));
    return this;
  }

  public byte[] toArray() {
    GgufBytes out =
        new GgufBytes()
            .text("GGUF")
            .u32(version)
            .u64(tensors.size())
            .u64(keys)
            .raw(metadata.toArray());
    long offset = 0;
    for (Tensor tensor : tensors) {
      out.string(tensor.name).u32(tensor.dims.length);
      for (long dim : tensor.dims) {
        out.u64(dim);
      }
      out.u32(tensor.type).u64(offset);
      offset += ((long) tensor.data.length + alignment - 1) / alignment * alignment;
    }
    for (Tensor tensor : tensors) {
      out.pad(alignment).raw(tensor.data);
    }
    return out.toArray();
  }
}
