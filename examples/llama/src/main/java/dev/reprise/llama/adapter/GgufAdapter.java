package dev.reprise.llama.adapter;

import dev.reprise.llama.gguf.GgufFile;
import dev.reprise.llama.gguf.GgufMetadata;
import dev.reprise.llama.gguf.GgufTensor;
import dev.reprise.llama.text.Quote;
import java.util.Map;

/**
 * A GGUF file of general type {@code adapter}: for a matrix {@code blk.0.attn_q.weight} it has
 * {@code blk.0.attn_q.weight.lora_a} and {@code .lora_b}, and one alpha for all.
 */
record GgufAdapter(GgufFile file) implements AdapterSource {

  private static final String WEIGHT = ".weight";
  private static final String A = WEIGHT + ".lora_a";
  private static final String B = WEIGHT + ".lora_b";

  @Override
  public String name() {
    return file.name();
  }

  @Override
  public Map<String, LowRankPair> pairs() {
    GgufMetadata meta = file.metadata();
    require("general.type", "adapter");
    require("adapter.type", "lora");
    require("general.architecture", "llama");
    float alpha = meta.f32("adapter.lora.alpha");
    if (!Float.isFinite(alpha)) {
      throw new AdapterFileException(name(), "adapter.lora.alpha is " + alpha);
    }
    PairCollector pairs = new PairCollector(name());
    for (GgufTensor tensor : file.tensors()) {
      String tensorName = tensor.name();
      if (tensorName.endsWith(A)) {
        pairs.a(target(tensorName, A), matrix(tensor));
      } else if (tensorName.endsWith(B)) {
        pairs.b(target(tensorName, B), matrix(tensor));
      } else {
        throw new AdapterFileException(
            name(),
            "tensor %s is neither A nor B of a matrix (%s, %s)"
                .formatted(Quote.quote(tensorName), A, B));
      }
    }
    return pairs.pairs(rank -> alpha / rank);
  }

  private static String target(String tensor, String ending) {
    return tensor.substring(0, tensor.length() - ending.length());
  }

  private void require(String key, String wanted) {
    String found = file.metadata().optionalString(key).orElse("");
    if (!found.equals(wanted)) {
      throw new AdapterFileException(
          name(),
          "%s is %s; an adapter for a Llama model has %s"
              .formatted(key, found.isEmpty() ? "missing" : Quote.quote(found), wanted));
    }
  }

  private Matrix matrix(GgufTensor tensor) {
    Matrix.Type type =
        switch (tensor.type()) {
          case F32 -> Matrix.Type.F32;
          case F16 -> Matrix.Type.F16;
          case BF16 -> Matrix.Type.BF16;
          default -> throw unreadable(tensor, "is " + tensor.type() + "; F32, F16 and BF16 do");
        };
    if (tensor.rank() != 2
        || tensor.dim(0) > Integer.MAX_VALUE
        || tensor.dim(1) > Integer.MAX_VALUE
        || tensor.elements() > Integer.MAX_VALUE) {
      throw unreadable(tensor, "has the shape " + tensor.shape() + "; it must be a matrix");
    }
    return new Matrix((int) tensor.dim(1), (int) tensor.dim(0), type, tensor.data());
  }

  private AdapterFileException unreadable(GgufTensor tensor, String why) {
    return new AdapterFileException(
        name(), "tensor %s %s".formatted(Quote.quote(tensor.name()), why));
  }
}
