package dev.reprise.llama;

import dev.reprise.llama.gguf.GgufFile;
import dev.reprise.llama.gguf.GgufMetadata;

/**
 * The sizes of a Llama model, from the metadata of its GGUF file.
 *
 * @param name for people
 * @param layers transformer blocks
 * @param width elements of a row between blocks
 * @param heads query heads
 * @param kvHeads key/value heads
 * @param headDim elements of a head
 * @param feedForward elements between the two products of the feed-forward network
 * @param vocabulary tokens
 * @param maxContext positions the model was trained for
 * @param normEpsilon added to the mean square in RMSNorm
 * @param ropeBase base of the rotary frequencies
 */
public record LlamaConfig(
    String name,
    int layers,
    int width,
    int heads,
    int kvHeads,
    int headDim,
    int feedForward,
    int vocabulary,
    int maxContext,
    float normEpsilon,
    float ropeBase) {

  /** Bound on every size, far above any model, so that products of two fit a {@code long}. */
  private static final int MAX_SIZE = 1 << 24;

  /**
   * Reads the settings of a model.
   *
   * @throws UnsupportedModelException if the model is not one that this implementation computes
   * @throws dev.reprise.llama.gguf.GgufException if a setting is missing or of another type
   */
  public static LlamaConfig from(GgufFile file) {
    GgufMetadata meta = file.metadata();
    String architecture = meta.string("general.architecture");
    if (!architecture.equals("llama")) {
      throw new UnsupportedModelException(
          file.name(), "its architecture is '" + architecture + "'; only 'llama' can be run");
    }
    refuseWhatIsNotComputed(file);
    int width = size(file, "llama.embedding_length");
    int heads = size(file, "llama.attention.head_count");
    int kvHeads = meta.u32("llama.attention.head_count_kv", heads);
    int headDim = meta.u32("llama.attention.key_length", width / heads);
    int vocabulary = Math.toIntExact(file.tensor("token_embd.weight").dim(1));
    LlamaConfig config =
        new LlamaConfig(
            meta.optionalString("general.name").orElse(file.name()),
            size(file, "llama.block_count"),
            width,
            heads,
            kvHeads,
            headDim,
            size(file, "llama.feed_forward_length"),
            vocabulary,
            size(file, "llama.context_length"),
            meta.f32("llama.attention.layer_norm_rms_epsilon"),
            meta.f32("llama.rope.freq_base", 10000f));
    config.check(file);
    return config;
  }

  private static int size(GgufFile file, String key) {
    int value = file.metadata().u32(key);
    if (value < 1 || value > MAX_SIZE) {
      throw new UnsupportedModelException(
          file.name(),
          key + " is " + Integer.toUnsignedString(value) + ", which is no usable size");
    }
    return value;
  }

  private static void refuseWhatIsNotComputed(GgufFile file) {
    GgufMetadata meta = file.metadata();
    String scaling = meta.optionalString("llama.rope.scaling.type").orElse("none");
    if (!scaling.equals("none") || file.hasTensor("rope_freqs.weight")) {
      throw new UnsupportedModelException(
          file.name(), "it scales its rotary positions, which is not supported");
    }
    if (meta.u32("llama.expert_count", 0) != 0) {
      throw new UnsupportedModelException(
          file.name(), "it is a mixture of experts, which is not supported");
    }
    if (meta.has("llama.attention.sliding_window")) {
      throw new UnsupportedModelException(
          file.name(), "it attends through a sliding window, which is not supported");
    }
    if (file.hasTensor("blk.0.attn_q.bias")) {
      throw new UnsupportedModelException(
          file.name(), "its projections have biases, which is not supported");
    }
  }

  private void check(GgufFile file) {
    GgufMetadata meta = file.metadata();
    if (kvHeads < 1 || kvHeads > heads || heads % kvHeads != 0) {
      throw new UnsupportedModelException(
          file.name(), heads + " heads cannot share " + kvHeads + " key/value heads");
    }
    if (headDim != 32 && headDim != 64 && headDim != 128) {
      throw new UnsupportedModelException(
          file.name(), "its heads have " + headDim + " elements; 32, 64 and 128 are supported");
    }
    int valueLength = meta.u32("llama.attention.value_length", headDim);
    int rotated = meta.u32("llama.rope.dimension_count", headDim);
    if (valueLength != headDim || rotated != headDim) {
      throw new UnsupportedModelException(
          file.name(),
          "keys of %d, values of %d and %d rotated elements; they must be the same"
              .formatted(headDim, valueLength, rotated));
    }
    if (!(normEpsilon >= 0) || !(ropeBase > 0)) {
      throw new UnsupportedModelException(
          file.name(),
          "norm epsilon %s and rotary base %s are no usable values"
              .formatted(normEpsilon, ropeBase));
    }
  }

  /** Elements of a row of queries. */
  public int queryWidth() {
    return heads * headDim;
  }

  /** Elements of a row of keys, or of values. */
  public int kvWidth() {
    return kvHeads * headDim;
  }

  /** Elements of a row of queries, keys and values together. */
  public int qkvWidth() {
    return queryWidth() + 2 * kvWidth();
  }
}
