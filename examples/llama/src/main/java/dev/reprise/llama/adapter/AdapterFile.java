package dev.reprise.llama.adapter;

import dev.reprise.graph.adapter.AdapterWeights;
import dev.reprise.graph.adapter.LowRankWeights;
import dev.reprise.llama.LlamaConfig;
import dev.reprise.llama.gguf.GgufException;
import dev.reprise.llama.gguf.GgufFile;
import dev.reprise.llama.text.Quote;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads low-rank adapters (LoRA; Hu et al., 2021) for a Llama model from a file: GGUF of type
 * {@code adapter}, or safetensors as PEFT writes it. What a file has for queries, keys and values,
 * or for gate and up, becomes one adapter of the product that computes them together, whose rank is
 * the sum of theirs.
 */
public final class AdapterFile {

  private static final int GGUF_MAGIC = 0x46554747;

  private AdapterFile() {}

  /**
   * Reads a file whole.
   *
   * @throws AdapterFileException if it is no adapter for a model of these sizes
   */
  public static AdapterWeights read(Path path, LlamaConfig model) {
    String name = path.toString();
    if (!Files.isRegularFile(path)) {
      throw new AdapterFileException(
          name, Files.exists(path) ? "this is not a regular file" : "there is no such file");
    }
    try (Arena arena = Arena.ofConfined();
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      MemorySegment bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      return new Merge(source(path, bytes, model), model).weights();
    } catch (ArithmeticException e) {
      throw new AdapterFileException(name, "its matrices are too large to be put together", e);
    } catch (IOException e) {
      throw new AdapterFileException(name, "it cannot be read: " + e.getMessage(), e);
    } catch (GgufException e) {
      throw new AdapterFileException(name, withoutName(e, name), e);
    }
  }

  private static String withoutName(GgufException e, String name) {
    String message = String.valueOf(e.getMessage());
    return message.startsWith(name + ": ") ? message.substring(name.length() + 2) : message;
  }

  private static AdapterSource source(Path path, MemorySegment bytes, LlamaConfig model) {
    boolean gguf =
        bytes.byteSize() >= Integer.BYTES
            && bytes.get(
                    java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED.withOrder(
                        java.nio.ByteOrder.LITTLE_ENDIAN),
                    0)
                == GGUF_MAGIC;
    return gguf
        ? new GgufAdapter(GgufFile.of(bytes, path.toString()))
        : new PeftAdapter(path, bytes, model);
  }

  /** The largest rank of any product of an adapter: what a slot must have room for. */
  public static int rank(AdapterWeights weights) {
    return weights.projections().values().stream().mapToInt(LowRankWeights::rank).max().orElse(1);
  }

  /** One of the matrices that a product of the model consists of. */
  private record Part(String matrix, int out) {}

  /** Puts the pairs of a file together as the products of the model. */
  private static final class Merge {

    private final AdapterSource source;
    private final LlamaConfig model;
    private final Map<String, LowRankPair> left;
    private final Map<String, LowRankWeights> products = new HashMap<>();

    Merge(AdapterSource source, LlamaConfig model) {
      this.source = source;
      this.model = model;
      this.left = new HashMap<>(source.pairs());
    }

    AdapterWeights weights() {
      int width = model.width();
      int query = model.queryWidth();
      int kv = model.kvWidth();
      int feedForward = model.feedForward();
      for (int layer = 0; layer < model.layers(); layer++) {
        String at = "blk." + layer + ".";
        product(
            at + "attn_qkv",
            width,
            new Part(at + "attn_q", query),
            new Part(at + "attn_k", kv),
            new Part(at + "attn_v", kv));
        product(at + "attn_output", query, new Part(at + "attn_output", width));
        product(
            at + "ffn_gate_up",
            width,
            new Part(at + "ffn_gate", feedForward),
            new Part(at + "ffn_up", feedForward));
        product(at + "ffn_down", feedForward, new Part(at + "ffn_down", width));
      }
      if (!left.isEmpty()) {
        throw new AdapterFileException(
            source.name(),
            "it adapts %s, which this model of %d layers has not, or which cannot be adapted"
                .formatted(Quote.quote(left.keySet().iterator().next()), model.layers()));
      }
      return new AdapterWeights(products);
    }

    private void product(String name, int in, Part... parts) {
      List<@Nullable LowRankPair> pairs = new ArrayList<>();
      int rank = 0;
      int out = 0;
      for (Part part : parts) {
        LowRankPair pair = left.remove(part.matrix());
        if (pair != null) {
          check(part, in, pair);
          rank += pair.rank();
        }
        pairs.add(pair);
        out += part.out();
      }
      if (rank == 0) {
        return;
      }
      float[] a = new float[Math.multiplyExact(rank, in)];
      float[] b = new float[Math.multiplyExact(out, rank)];
      int firstRank = 0;
      int firstRow = 0;
      for (int i = 0; i < parts.length; i++) {
        LowRankPair pair = pairs.get(i);
        if (pair != null) {
          System.arraycopy(pair.a(), 0, a, firstRank * in, pair.a().length);
          for (int row = 0; row < pair.out(); row++) {
            for (int r = 0; r < pair.rank(); r++) {
              b[(firstRow + row) * rank + firstRank + r] =
                  pair.scale() * pair.b()[row * pair.rank() + r];
            }
          }
          firstRank += pair.rank();
        }
        firstRow += parts[i].out();
      }
      products.put(name, new LowRankWeights(rank, 1, a, b));
    }

    private void check(Part part, int in, LowRankPair pair) {
      if (pair.in() != in || pair.out() != part.out()) {
        throw new AdapterFileException(
            source.name(),
            "for %s it goes from %d to %d elements, the model from %d to %d; it is for another model"
                .formatted(part.matrix(), pair.in(), pair.out(), in, part.out()));
      }
    }
  }
}
