package dev.reprise.llama.adapter;

import dev.reprise.graph.json.JsonDocument;
import dev.reprise.graph.json.JsonFormatException;
import dev.reprise.graph.json.JsonValue;
import dev.reprise.llama.LlamaConfig;
import dev.reprise.llama.text.Quote;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A safetensors file as the PEFT library writes it, with {@code adapter_config.json} beside it,
 * which says how the product is scaled.
 *
 * <p>Such files order the rows of queries and keys as two halves of a head; GGUF models, and this
 * one, as interleaved pairs, so the rows of B are put into that order.
 */
final class PeftAdapter implements AdapterSource {

  private static final String CONFIG = "adapter_config.json";
  private static final Pattern TENSOR =
      Pattern.compile(
          "(?:base_model\\.model\\.)?model\\.layers\\.(\\d{1,6})\\.(?:self_attn|mlp)\\."
              + "(\\w+)\\.lora_([AB])(?:\\.default)?\\.weight");
  private static final Map<String, String> PARTS =
      Map.of(
          "q_proj", "attn_q",
          "k_proj", "attn_k",
          "v_proj", "attn_v",
          "o_proj", "attn_output",
          "gate_proj", "ffn_gate",
          "up_proj", "ffn_up",
          "down_proj", "ffn_down");

  private final Path path;
  private final MemorySegment bytes;
  private final LlamaConfig model;

  PeftAdapter(Path path, MemorySegment bytes, LlamaConfig model) {
    this.path = path;
    this.bytes = bytes;
    this.model = model;
  }

  @Override
  public String name() {
    return path.toString();
  }

  @Override
  public Map<String, LowRankPair> pairs() {
    PairCollector.Scale scale = scale();
    PairCollector pairs = new PairCollector(name());
    new SafetensorsFile(name(), bytes)
        .matrices()
        .forEach((tensor, matrix) -> {
          Matcher named = TENSOR.matcher(tensor);
          String part = named.matches() ? PARTS.get(named.group(2)) : null;
          if (part == null) {
            throw new AdapterFileException(
                name(),
                "tensor %s adapts nothing that can be adapted here: %s of a layer"
                    .formatted(Quote.quote(tensor), PARTS.keySet().stream().sorted().toList()));
          }
          String target = "blk." + Integer.parseInt(named.group(1)) + "." + part;
          if (named.group(3).equals("A")) {
            pairs.a(target, matrix);
          } else {
            pairs.b(target, matrix);
          }
        });
    Map<String, LowRankPair> ordered = new LinkedHashMap<>();
    pairs.pairs(scale).forEach((target, pair) -> ordered.put(target, inPairs(target, pair)));
    return ordered;
  }

  private PairCollector.Scale scale() {
    Path config = path.resolveSibling(CONFIG);
    if (!Files.isRegularFile(config)) {
      throw new AdapterFileException(
          name(), "there is no %s beside it, which says how it is scaled".formatted(CONFIG));
    }
    try {
      JsonValue json = JsonDocument.read(config);
      for (String unsupported : new String[] {"use_dora", "fan_in_fan_out"}) {
        if (json.optional(unsupported).filter(JsonValue::flag).isPresent()) {
          throw new AdapterFileException(config.toString(), unsupported + " is not supported");
        }
      }
      for (String pattern : new String[] {"rank_pattern", "alpha_pattern"}) {
        if (json.optional(pattern).filter(p -> !p.names().isEmpty()).isPresent()) {
          throw new AdapterFileException(config.toString(), pattern + " is not supported");
        }
      }
      double alpha = json.field("lora_alpha").amount();
      boolean byRoot = json.optional("use_rslora").filter(JsonValue::flag).isPresent();
      return rank -> (float) (alpha / (byRoot ? Math.sqrt(rank) : rank));
    } catch (JsonFormatException e) {
      throw new AdapterFileException(name(), "beside it, " + e.getMessage(), e);
    }
  }

  /** The rows of B in the order in which the model has those of queries and keys. */
  private LowRankPair inPairs(String target, LowRankPair pair) {
    boolean rotated = target.endsWith(".attn_q") || target.endsWith(".attn_k");
    int headDim = model.headDim();
    if (!rotated || pair.out() % headDim != 0) {
      return pair;
    }
    int rank = pair.rank();
    float[] b = new float[pair.b().length];
    for (int row = 0; row < pair.out(); row++) {
      int inHead = row % headDim;
      int from = row - inHead + inHead % 2 * (headDim / 2) + inHead / 2;
      System.arraycopy(pair.b(), from * rank, b, row * rank, rank);
    }
    return new LowRankPair(rank, pair.in(), pair.out(), pair.scale(), pair.a(), b);
  }
}
