package dev.reprise.llama.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Files that several tests use. */
final class GgufSamples {
  static final String F32_RESOURCE = "/dev/reprise/llama/tiny-stories-f32.gguf";
  static final String F16_RESOURCE = "/dev/reprise/llama/tiny-stories-f16.gguf";

  private GgufSamples() {}

  /**
   * A file of less than a kilobyte that has every type of value, a nested array and three tensors.
   */
  static byte[] small() {
    GgufWriter file = new GgufWriter(3, 16);
    file.key("t.u8", GgufValueType.UINT8).u8(200);
    file.key("t.i8", GgufValueType.INT8).u8(-3);
    file.key("t.u16", GgufValueType.UINT16).u16(65_000);
    file.key("t.i16", GgufValueType.INT16).u16(-300);
    file.key("t.u32", GgufValueType.UINT32).u32(4_000_000_000L);
    file.key("t.i32", GgufValueType.INT32).u32(-70_000);
    file.key("t.f32", GgufValueType.FLOAT32).f32(1.5f);
    file.key("t.bool", GgufValueType.BOOL).u8(1);
    file.key("t.string", GgufValueType.STRING).string("Zoë 🙂");
    file.key("t.u64", GgufValueType.UINT64).u64(-1);
    file.key("t.i64", GgufValueType.INT64).u64(-5_000_000_000L);
    file.key("t.f64", GgufValueType.FLOAT64).f64(0.1);
    file.strings("t.strings", List.of("one", "", "three"));
    file.ints("t.ints", 1, -2, 3);
    file.key("t.nested", GgufValueType.ARRAY)
        .u32(GgufValueType.ARRAY.id())
        .u64(2)
        .u32(GgufValueType.UINT8.id())
        .u64(2)
        .u8(7)
        .u8(8)
        .u32(GgufValueType.STRING.id())
        .u64(1)
        .string("deep");
    file.tensor("a.weight", GgufTensorType.F32, GgufBytes.floats(1, 2, 3, 4, 5, 6), 3, 2);
    file.tensor("b.weight", GgufTensorType.F16, new byte[] {0, 0x3c, 0, 0x40}, 2);
    file.tensor("c.weight", GgufTensorType.Q8_0, new byte[34], 32, 1, 1);
    return file.toArray();
  }

  static GgufFile parse(byte[] bytes) {
    return GgufFile.of(MemorySegment.ofArray(bytes), "test.gguf");
  }

  /** Opens a file and reads all that is in it. */
  static void readAll(byte[] bytes) {
    GgufFile file = parse(bytes);
    for (String key : file.metadata().keys()) {
      Object value = file.metadata().value(key);
      if (file.metadata().type(key) == GgufValueType.STRING
          && !value.equals(file.metadata().string(key))) {
        throw new AssertionError("two readings of " + key + " differ");
      }
    }
    for (GgufTensor tensor : file.tensors()) {
      long sum = 0;
      for (long i = 0; i < tensor.data().byteSize(); i++) {
        sum += tensor.data().get(ValueLayout.JAVA_BYTE, i);
      }
      if (tensor.elements() < 1 || sum == Long.MIN_VALUE) {
        throw new AssertionError("no elements in " + tensor);
      }
    }
  }
}
