package dev.reprise.llama.adapter;

import dev.reprise.llama.LlamaConfig;
import dev.reprise.llama.gguf.GgufTensorType;
import dev.reprise.llama.gguf.GgufWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** The same adapter in both kinds of file. */
final class AdapterFiles {

  /** A model of two layers whose sizes all differ. */
  static final LlamaConfig MODEL =
      new LlamaConfig("small", 2, 24, 4, 2, 8, 20, 50, 64, 1e-5f, 10000f);

  static final float ALPHA = 12;

  /** A matrix, its elements row after row. */
  @SuppressWarnings("ArrayRecordComponent")
  record Values(int rows, int columns, float[] values) {}

  private AdapterFiles() {}

  /** A and B for matrices of the model by name; ranks differ. */
  static Map<String, Values[]> pairs(long seed) {
    Random random = new Random(seed);
    Map<String, Values[]> pairs = new LinkedHashMap<>();
    pairs.put("blk.0.attn_q", pair(random, 24, 32, 3));
    pairs.put("blk.0.attn_k", pair(random, 24, 16, 2));
    pairs.put("blk.1.attn_v", pair(random, 24, 16, 4));
    pairs.put("blk.1.attn_output", pair(random, 32, 24, 2));
    pairs.put("blk.0.ffn_up", pair(random, 24, 20, 1));
    pairs.put("blk.1.ffn_gate", pair(random, 24, 20, 2));
    pairs.put("blk.1.ffn_up", pair(random, 24, 20, 3));
    pairs.put("blk.0.ffn_down", pair(random, 20, 24, 2));
    return pairs;
  }

  private static Values[] pair(Random random, int in, int out, int rank) {
    return new Values[] {values(random, rank, in), values(random, out, rank)};
  }

  private static Values values(Random random, int rows, int columns) {
    float[] values = new float[rows * columns];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) random.nextGaussian();
    }
    return new Values(rows, columns, values);
  }

  static GgufWriter ggufHead() {
    return new GgufWriter()
        .string("general.type", "adapter")
        .string("general.architecture", "llama")
        .string("adapter.type", "lora");
  }

  static byte[] gguf(Map<String, Values[]> pairs) {
    GgufWriter file = ggufHead();
    file.key("adapter.lora.alpha", dev.reprise.llama.gguf.GgufValueType.FLOAT32).f32(ALPHA);
    pairs.forEach((target, pair) -> {
      tensor(file, target + ".weight.lora_a", pair[0]);
      tensor(file, target + ".weight.lora_b", pair[1]);
    });
    return file.toArray();
  }

  static void tensor(GgufWriter file, String name, Values matrix) {
    file.tensor(name, GgufTensorType.F32, bytes(matrix.values), matrix.columns, matrix.rows);
  }

  static byte[] bytes(float[] values) {
    ByteBuffer buffer =
        ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    buffer.asFloatBuffer().put(values);
    return buffer.array();
  }

  /** Rows of queries and keys are in two halves there. */
  static byte[] safetensors(Map<String, Values[]> pairs) {
    StringBuilder header = new StringBuilder("{\"__metadata__\":{\"format\":\"pt\"}");
    ByteBuffer data = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
    pairs.forEach((target, pair) -> {
      entry(header, data, peft(target) + ".lora_A.weight", pair[0]);
      entry(header, data, peft(target) + ".lora_B.weight", inHalves(target, pair[1]));
    });
    return safetensors(header.append('}').toString(), data.flip());
  }

  static byte[] safetensors(String header, ByteBuffer data) {
    byte[] text = header.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Long.BYTES + text.length + data.remaining())
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(text.length)
        .put(text)
        .put(data)
        .array();
  }

  private static void entry(StringBuilder header, ByteBuffer data, String name, Values matrix) {
    int from = data.position();
    data.put(bytes(matrix.values));
    header.append(
        ",\"%s\":{\"dtype\":\"F32\",\"shape\":[%d,%d],\"data_offsets\":[%d,%d]}"
            .formatted(name, matrix.rows, matrix.columns, from, data.position()));
  }

  private static String peft(String target) {
    String[] parts = target.split("\\.");
    String module =
        switch (parts[2]) {
          case "attn_q" -> "self_attn.q_proj";
          case "attn_k" -> "self_attn.k_proj";
          case "attn_v" -> "self_attn.v_proj";
          case "attn_output" -> "self_attn.o_proj";
          case "ffn_gate" -> "mlp.gate_proj";
          case "ffn_up" -> "mlp.up_proj";
          default -> "mlp.down_proj";
        };
    return "base_model.model.model.layers." + parts[1] + "." + module;
  }

  private static Values inHalves(String target, Values b) {
    if (!target.endsWith("attn_q") && !target.endsWith("attn_k")) {
      return b;
    }
    int half = MODEL.headDim() / 2;
    float[] values = new float[b.values.length];
    for (int row = 0; row < b.rows; row++) {
      int head = row / MODEL.headDim();
      int pair = row % MODEL.headDim() / 2;
      int to = head * MODEL.headDim() + (row % 2) * half + pair;
      System.arraycopy(b.values, row * b.columns, values, to * b.columns, b.columns);
    }
    return new Values(b.rows, b.columns, values);
  }

  /** Writes a safetensors file with its configuration. */
  static Path peftFile(Path folder, byte[] file, String config) throws IOException {
    Files.writeString(folder.resolve("adapter_config.json"), config);
    return Files.write(folder.resolve("adapter_model.safetensors"), file);
  }

  static String config() {
    return "{\"peft_type\": \"LORA\", \"lora_alpha\": " + ALPHA + ", \"r\": 8}";
  }
}
