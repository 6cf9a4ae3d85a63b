package dev.reprise.llama;

import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.decode.Step;
import dev.reprise.graph.decode.StepBuffers;
import dev.reprise.graph.decode.StepShape;
import dev.reprise.graph.input.RowInput;
import dev.reprise.graph.workspace.WorkspacePlan;
import dev.reprise.kernels.BlockTables;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.KvLayer;
import dev.reprise.kernels.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The launches of one step of a Llama model, in order. */
final class LlamaStep implements Step {

  /** Sums of the segments of sequences, between the two launches of split attention. */
  static final String PARTIALS = "partials";

  private final List<PreparedLaunch> launches;

  private LlamaStep(List<PreparedLaunch> launches) {
    this.launches = List.copyOf(launches);
  }

  static WorkspacePlan planWorkspace(LlamaConfig config, int maxRows, int maxLogitRows) {
    long row = (long) maxRows * Float.BYTES;
    return new WorkspacePlan()
        .add("hidden", row * config.width())
        .add("normed", row * config.width())
        .add("delta", row * config.width())
        .add("qkv", row * (config.queryWidth() + 2L * config.kvWidth()))
        .add("query", row * config.queryWidth())
        .add("attended", row * config.queryWidth())
        .add("gateUp", row * 2 * config.feedForward())
        .add("gated", row * config.feedForward())
        .add("last", (long) maxLogitRows * Float.BYTES * config.width());
  }

  static Step prepare(
      LlamaConfig config,
      Kernels kernels,
      LlamaWeights weights,
      Span rotary,
      StepBuffers buffers,
      StepShape shape,
      int splits) {
    return new LlamaStep(
        new Preparation(config, kernels, weights, rotary, buffers, shape, splits).launches());
  }

  @Override
  public void enqueue(Stream stream) {
    for (int i = 0; i < launches.size(); i++) {
      stream.launch(launches.get(i));
    }
  }

  /** Writes down the launches; each method adds one part of the step. */
  private static final class Preparation {

    private final LlamaConfig config;
    private final Kernels kernels;
    private final LlamaWeights weights;
    private final Span rotary;
    private final StepBuffers buffers;
    private final int rows;
    private final int logitRows;
    private final boolean adapted;
    private final int context;
    private final int splits;
    private final List<PreparedLaunch> launches = new ArrayList<>();

    Preparation(
        LlamaConfig config,
        Kernels kernels,
        LlamaWeights weights,
        Span rotary,
        StepBuffers buffers,
        StepShape shape,
        int splits) {
      this.config = config;
      this.kernels = kernels;
      this.weights = weights;
      this.rotary = rotary;
      this.buffers = buffers;
      this.rows = shape.bucket().rows();
      this.logitRows = shape.logitRows();
      this.adapted = shape.adapted();
      this.context = shape.bucket().context();
      this.splits = splits;
    }

    List<PreparedLaunch> launches() {
      embed();
      for (int layer = 0; layer < config.layers(); layer++) {
        boolean last = layer == config.layers() - 1;
        attentionNorm(layer);
        keysAndValues(layer);
        if (last && logitRows == 0) {
          // Nobody reads what this layer adds to the rows of a prompt that goes on.
          return launches;
        }
        attend(layer);
        feedForward(layer);
      }
      logits();
      return launches;
    }

    private Span work(String name) {
      return buffers.workspace().span(name);
    }

    private Span input(RowInput input) {
      return buffers.inputs().span(input);
    }

    private Span norm(int layer, String name) {
      return weights.span(LlamaWeights.layer(layer, name));
    }

    /** A product of a layer, and what adapters add to it. */
    private void multiply(int layer, String part, String from, String to, int in, int out) {
      String name = LlamaWeights.layer(layer, part);
      launches.add(
          kernels
              .matMul()
              .multiply(weights.type(), weights.span(name), work(from), work(to), rows, in, out));
      if (adapted) {
        launches.addAll(
            Objects.requireNonNull(buffers.adapters())
                .launches(
                    kernels,
                    name,
                    work(from),
                    input(RowInput.ADAPTERS),
                    input(RowInput.POSITIONS),
                    work(to),
                    buffers.status(),
                    rows));
      }
    }

    private void embed() {
      launches.add(
          kernels
              .embedding()
              .rows(
                  weights.type(),
                  weights.span("token_embd"),
                  input(RowInput.TOKENS),
                  input(RowInput.POSITIONS),
                  work("hidden"),
                  rows,
                  config.width(),
                  config.vocabulary()));
    }

    /** The first layer normalises the embedding; the others add what the layer before left. */
    private void attentionNorm(int layer) {
      Span weight = norm(layer, "attn_norm");
      if (layer > 0) {
        residualNorm(weight);
        return;
      }
      launches.add(
          kernels
              .norms()
              .rms(
                  work("hidden"),
                  weight,
                  work("normed"),
                  rows,
                  config.width(),
                  config.normEpsilon()));
    }

    private void residualNorm(Span weight) {
      launches.add(
          kernels
              .norms()
              .rmsResidual(
                  work("hidden"),
                  work("delta"),
                  weight,
                  work("normed"),
                  rows,
                  config.width(),
                  config.normEpsilon()));
    }

    private void keysAndValues(int layer) {
      multiply(layer, "attn_qkv", "normed", "qkv", config.width(), config.qkvWidth());
      launches.add(
          kernels
              .rotaryEmbedding()
              .writeKv(
                  work("qkv"),
                  rotary,
                  input(RowInput.POSITIONS),
                  input(RowInput.SEQUENCES),
                  tables(),
                  work("query"),
                  kv(layer),
                  buffers.status(),
                  rows,
                  config.heads(),
                  config.maxContext()));
    }

    private BlockTables tables() {
      return buffers.inputs().blockTables();
    }

    private KvLayer kv(int layer) {
      return buffers.kv().layer(layer);
    }

    private void attend(int layer) {
      float scale = (float) (1 / Math.sqrt(config.headDim()));
      Span positions = input(RowInput.POSITIONS);
      Span sequences = input(RowInput.SEQUENCES);
      if (splits == 1) {
        launches.add(
            kernels
                .attention()
                .paged(
                    work("query"),
                    kv(layer),
                    positions,
                    sequences,
                    tables(),
                    work("attended"),
                    buffers.status(),
                    rows,
                    config.heads(),
                    scale));
      } else {
        launches.addAll(
            kernels
                .attention()
                .split(
                    work("query"),
                    kv(layer),
                    positions,
                    sequences,
                    tables(),
                    work(PARTIALS),
                    work("attended"),
                    buffers.status(),
                    rows,
                    config.heads(),
                    scale,
                    context,
                    splits));
      }
      multiply(layer, "attn_output", "attended", "delta", config.queryWidth(), config.width());
    }

    private void feedForward(int layer) {
      residualNorm(norm(layer, "ffn_norm"));
      multiply(layer, "ffn_gate_up", "normed", "gateUp", config.width(), 2 * config.feedForward());
      launches.add(
          kernels.activation().swiglu(work("gateUp"), work("gated"), rows, config.feedForward()));
      multiply(layer, "ffn_down", "gated", "delta", config.feedForward(), config.width());
    }

    private void logits() {
      launches.add(
          kernels
              .norms()
              .rmsResidualGather(
                  work("hidden"),
                  work("delta"),
                  input(RowInput.LOGIT_ROWS),
                  weights.span("output_norm"),
                  work("last"),
                  buffers.status(),
                  logitRows,
                  rows,
                  config.width(),
                  config.normEpsilon()));
      launches.add(
          kernels
              .matMul()
              .multiply(
                  weights.type(),
                  weights.output(),
                  work("last"),
                  buffers.logits(),
                  logitRows,
                  config.width(),
                  config.vocabulary()));
    }
  }
}
