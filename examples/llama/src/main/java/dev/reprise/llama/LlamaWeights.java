package dev.reprise.llama;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Stream;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.WeightType;
import dev.reprise.llama.gguf.GgufFile;
import dev.reprise.llama.gguf.GgufTensor;
import dev.reprise.llama.gguf.GgufTensorType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The weights of a model in one device buffer. Matrices that are multiplied with the same input lie
 * one after the other, so that one product computes them all.
 */
final class LlamaWeights implements AutoCloseable {

  private static final long ALIGNMENT = 256;

  private final Map<String, Span> spans = new HashMap<>();
  private final DeviceBuffer buffer;
  private final WeightType type;

  private LlamaWeights(DeviceBuffer buffer, WeightType type) {
    this.buffer = buffer;
    this.type = type;
  }

  /** The names under which products of a layer are found. */
  static String layer(int layer, String part) {
    return "blk." + layer + "." + part;
  }

  /** Where a tensor, or several that are one matrix together, goes. */
  private record Part(String name, List<GgufTensor> tensors, long offset, long bytes) {}

  private static final class Plan {
    private final GgufFile file;
    private final List<Part> parts = new ArrayList<>();
    private long bytes;

    Plan(GgufFile file) {
      this.file = file;
    }

    void add(String name, GgufTensorType type, long in, Map<String, Long> rows) {
      List<GgufTensor> tensors = new ArrayList<>();
      long size = 0;
      for (Map.Entry<String, Long> entry : rows.entrySet()) {
        GgufTensor tensor = file.tensor(entry.getKey());
        check(tensor, type, in, entry.getValue());
        tensors.add(tensor);
        size += tensor.data().byteSize();
      }
      parts.add(new Part(name, tensors, bytes, size));
      bytes += Math.ceilDiv(size, ALIGNMENT) * ALIGNMENT;
    }

    private void check(GgufTensor tensor, GgufTensorType type, long in, long out) {
      if (tensor.type() != type) {
        throw new UnsupportedModelException(
            file.name(),
            "tensor %s is %s where %s is needed".formatted(tensor.name(), tensor.type(), type));
      }
      boolean vector = out == 1 && tensor.rank() == 1;
      boolean matrix = tensor.rank() == 2 && tensor.dim(1) == out;
      if (!(vector || matrix) || tensor.dim(0) != in) {
        throw new UnsupportedModelException(
            file.name(),
            "tensor %s has the shape %s where [%d, %d] is needed"
                .formatted(tensor.name(), tensor.shape(), in, out));
      }
    }
  }

  /**
   * Copies the weights of a file to the device; returns when they are there.
   *
   * @throws UnsupportedModelException if a tensor has another shape or type than the model needs
   */
  static LlamaWeights load(Device device, Stream stream, GgufFile file, LlamaConfig config) {
    GgufTensorType type = file.tensor("token_embd.weight").type();
    WeightType weightType =
        switch (type) {
          case F32 -> WeightType.F32;
          case F16 -> WeightType.F16;
          default ->
              throw new UnsupportedModelException(
                  file.name(), "its weights are " + type + "; F32 and F16 are supported");
        };
    Plan plan = plan(file, config, type);
    DeviceBuffer buffer = device.allocate("weights", plan.bytes);
    try {
      LlamaWeights weights = new LlamaWeights(buffer, weightType);
      for (Part part : plan.parts) {
        long at = part.offset;
        for (GgufTensor tensor : part.tensors) {
          MemorySegment data = tensor.data();
          stream.write(data, buffer, at);
          at += data.byteSize();
        }
        weights.spans.put(part.name, new Span(buffer, part.offset, part.bytes));
      }
      return weights;
    } catch (RuntimeException e) {
      buffer.close();
      throw e;
    }
  }

  private static Plan plan(GgufFile file, LlamaConfig config, GgufTensorType type) {
    Plan plan = new Plan(file);
    long width = config.width();
    long query = config.queryWidth();
    long kv = config.kvWidth();
    long feedForward = config.feedForward();
    matrix(plan, "token_embd", type, width, config.vocabulary());
    for (int layer = 0; layer < config.layers(); layer++) {
      norm(plan, layer(layer, "attn_norm"), width);
      Map<String, Long> qkv = new java.util.LinkedHashMap<>();
      qkv.put(layer(layer, "attn_q.weight"), query);
      qkv.put(layer(layer, "attn_k.weight"), kv);
      qkv.put(layer(layer, "attn_v.weight"), kv);
      plan.add(layer(layer, "attn_qkv"), type, width, qkv);
      matrix(plan, layer(layer, "attn_output"), type, query, width);
      norm(plan, layer(layer, "ffn_norm"), width);
      Map<String, Long> gateUp = new java.util.LinkedHashMap<>();
      gateUp.put(layer(layer, "ffn_gate.weight"), feedForward);
      gateUp.put(layer(layer, "ffn_up.weight"), feedForward);
      plan.add(layer(layer, "ffn_gate_up"), type, width, gateUp);
      matrix(plan, layer(layer, "ffn_down"), type, feedForward, width);
    }
    norm(plan, "output_norm", width);
    if (file.hasTensor("output.weight")) {
      matrix(plan, "output", type, width, config.vocabulary());
    }
    return plan;
  }

  private static void matrix(Plan plan, String name, GgufTensorType type, long in, long out) {
    plan.add(name, type, in, Map.of(name + ".weight", out));
  }

  private static void norm(Plan plan, String name, long width) {
    plan.add(name, GgufTensorType.F32, width, Map.of(name + ".weight", 1L));
  }

  /** The place of a tensor without its {@code .weight}, or of a group of them. */
  Span span(String name) {
    Span span = spans.get(name);
    if (span == null) {
      throw new IllegalArgumentException("No weights are called " + name);
    }
    return span;
  }

  /** The matrix from a row to its logits: the token embedding where the model ties them. */
  Span output() {
    Span output = spans.get("output");
    return output != null ? output : span("token_embd");
  }

  /** Element type of all matrices. */
  WeightType type() {
    return type;
  }

  @Override
  public void close() {
    buffer.close();
  }
}
