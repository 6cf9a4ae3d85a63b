package dev.reprise.llama.gguf;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Little-endian values one after the other, with no check of any kind, so that tests can write what
 * is wrong.
 */
public final class GgufBytes {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  public GgufBytes raw(byte... bytes) {
    out.writeBytes(bytes);
    return this;
  }

  public GgufBytes text(String ascii) {
    return raw(ascii.getBytes(StandardCharsets.ISO_8859_1));
  }

  public GgufBytes u8(int value) {
    out.write(value);
    return this;
  }

  public GgufBytes u16(int value) {
    return u8(value).u8(value >> 8);
  }

  public GgufBytes u32(long value) {
    return u16((int) value).u16((int) (value >> 16));
  }

  public GgufBytes u64(long value) {
    return u32(value).u32(value >> 32);
  }

  public GgufBytes f32(float value) {
    return u32(Float.floatToRawIntBits(value));
  }

  public GgufBytes f64(double value) {
    return u64(Double.doubleToRawLongBits(value));
  }

  public GgufBytes string(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    return u64(bytes.length).raw(bytes);
  }

  /** The head of a version 3 file. */
  public GgufBytes head(long tensors, long keys) {
    return text("GGUF").u32(3).u64(tensors).u64(keys);
  }

  public GgufBytes pad(int alignment) {
    while (out.size() % alignment != 0) {
      out.write(0);
    }
    return this;
  }

  public int size() {
    return out.size();
  }

  public byte[] toArray() {
    return out.toByteArray();
  }

  static byte[] floats(float... values) {
    ByteBuffer buffer = ByteBuffer.allocate(values.length * 4).order(ByteOrder.LITTLE_ENDIAN);
    for (float value : values) {
      buffer.putFloat(value);
    }
    return buffer.array();
  }
}
