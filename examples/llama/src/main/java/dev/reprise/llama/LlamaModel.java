package dev.reprise.llama;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.adapter.AdapterProjection;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.decode.DecodeModel;
import dev.reprise.graph.decode.ModelInfo;
import dev.reprise.graph.decode.Step;
import dev.reprise.graph.decode.StepBuffers;
import dev.reprise.graph.decode.StepShape;
import dev.reprise.graph.kv.KvLayout;
import dev.reprise.graph.workspace.WorkspacePlan;
import dev.reprise.kernels.Attention;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.RotaryTable;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.variant.TunableShape;
import dev.reprise.llama.gguf.GgufFile;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A Llama model (Touvron et al., 2023) with grouped-query attention, rotary positions on
 * interleaved pairs, RMSNorm and SwiGLU: weights in f32 or f16, everything else in f32.
 *
 * <p>Prepared steps use the model's weights, so close it after the decode loops that run it. One
 * thread at a time.
 */
public final class LlamaModel implements DecodeModel {

  /** The resource that holds the embedded model, beside this class. */
  public static final String EMBEDDED = "tiny-stories-f32.gguf";

  private static final int KV_BLOCK_SIZE = 16;

  private final LlamaConfig config;
  private final ModelInfo info;
  private final Kernels kernels;
  private final LlamaWeights weights;
  private final DeviceBuffer rotary;

  private LlamaModel(
      LlamaConfig config,
      ModelInfo info,
      Kernels kernels,
      LlamaWeights weights,
      DeviceBuffer rotary) {
    this.config = config;
    this.info = info;
    this.kernels = kernels;
    this.weights = weights;
    this.rotary = rotary;
  }

  /**
   * Copies a model to a device; returns when it is there. The file may be closed then.
   *
   * @throws UnsupportedModelException if the file holds another kind of model
   * @throws dev.reprise.llama.gguf.GgufException if a setting or a tensor is missing
   */
  public static LlamaModel load(Device device, GgufFile file) {
    LlamaConfig config = LlamaConfig.from(file);
    Kernels kernels = Kernels.load(device);
    LlamaWeights weights = null;
    DeviceBuffer rotary = null;
    try (Stream stream = device.createStream("model loading")) {
      weights = LlamaWeights.load(device, stream, file, config);
      float[] table = RotaryTable.of(config.maxContext(), config.headDim(), config.ropeBase());
      rotary = device.allocate("rotary table", (long) table.length * Float.BYTES);
      stream.write(MemorySegment.ofArray(table), rotary, 0);
      ModelInfo info =
          new ModelInfo(
              config.name(),
              file.digest(),
              weights.type().name(),
              "F32",
              "online softmax over tiles and segments by position",
              new KvLayout(config.layers(), config.kvHeads(), config.headDim(), KV_BLOCK_SIZE),
              config.vocabulary(),
              config.maxContext(),
              file.parameters());
      return new LlamaModel(config, info, kernels, weights, rotary);
    } catch (RuntimeException e) {
      if (rotary != null) {
        rotary.close();
      }
      if (weights != null) {
        weights.close();
      }
      kernels.close();
      throw e;
    }
  }

  /** The sizes of the model. */
  public LlamaConfig config() {
    return config;
  }

  @Override
  public ModelInfo info() {
    return info;
  }

  @Override
  public Kernels kernels() {
    return kernels;
  }

  /**
   * The four products of each layer: {@code blk.N.attn_qkv}, {@code blk.N.attn_output}, {@code
   * blk.N.ffn_gate_up} and {@code blk.N.ffn_down}. The outputs of {@code attn_qkv} are those of
   * queries, keys and values, in this order; those of {@code ffn_gate_up} gate and up.
   */
  @Override
  public List<AdapterProjection> adapterProjections() {
    List<AdapterProjection> projections = new ArrayList<>();
    for (int layer = 0; layer < config.layers(); layer++) {
      projections.add(projection(layer, "attn_qkv", config.width(), config.qkvWidth()));
      projections.add(projection(layer, "attn_output", config.queryWidth(), config.width()));
      projections.add(projection(layer, "ffn_gate_up", config.width(), 2 * config.feedForward()));
      projections.add(projection(layer, "ffn_down", config.feedForward(), config.width()));
    }
    return projections;
  }

  private static AdapterProjection projection(int layer, String part, int in, int out) {
    return new AdapterProjection(LlamaWeights.layer(layer, part), in, out);
  }

  @Override
  public WorkspacePlan planWorkspace(int maxRows, int maxLogitRows) {
    return LlamaStep.planWorkspace(config, maxRows, maxLogitRows);
  }

  /** What is kept of the segments of a sequence has room for the buckets that split attention. */
  @Override
  public WorkspacePlan planWorkspace(int maxRows, int maxLogitRows, Collection<Bucket> buckets) {
    long partials =
        buckets.stream()
            .filter(bucket -> attentionSplits(bucket) > 1)
            .mapToLong(bucket ->
                Attention.partialBytes(
                    bucket.rows(), config.heads(), config.headDim(), bucket.context()))
            .max()
            .orElse(0);
    WorkspacePlan plan = planWorkspace(maxRows, maxLogitRows);
    return partials == 0 ? plan : plan.add(LlamaStep.PARTIALS, partials);
  }

  @Override
  public int attentionSplits(Bucket bucket) {
    return bucket.splits() != Bucket.AUTO
        ? bucket.splits()
        : kernels
            .attention()
            .splits(
                new TunableShape.Attention(
                    bucket.rows(),
                    config.heads(),
                    config.kvHeads(),
                    config.headDim(),
                    KV_BLOCK_SIZE,
                    bucket.context()));
  }

  @Override
  public Step prepare(StepBuffers buffers, StepShape shape) {
    return LlamaStep.prepare(
        config, kernels, weights, Span.of(rotary), buffers, shape, attentionSplits(shape.bucket()));
  }

  @Override
  public void close() {
    rotary.close();
    weights.close();
    kernels.close();
  }
}
