package dev.reprise.graph.toy;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.adapter.AdapterProjection;
import dev.reprise.graph.adapter.AdapterWeights;
import dev.reprise.graph.adapter.LowRankWeights;
import dev.reprise.graph.decode.DecodeModel;
import dev.reprise.graph.decode.ModelInfo;
import dev.reprise.graph.decode.Step;
import dev.reprise.graph.decode.StepBuffers;
import dev.reprise.graph.decode.StepShape;
import dev.reprise.graph.input.RowInput;
import dev.reprise.graph.kv.KvLayout;
import dev.reprise.graph.workspace.WorkspacePlan;
import dev.reprise.kernels.BlockTables;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.KvLayer;
import dev.reprise.kernels.RotaryTable;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.WeightType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** One attention layer with random weights: small, and every token depends on all before it. */
public final class ToyModel implements DecodeModel {

  public static final int VOCABULARY = 61;
  public static final int CONTEXT = 96;
  public static final int BLOCK = 16;

  private static final int WIDTH = 32;
  private static final float EPSILON = 1e-5f;

  private final Kernels kernels;
  private final List<DeviceBuffer> buffers = new ArrayList<>();
  private final Span embedding;
  private final Span norm;
  private final Span qkv;
  private final Span out;
  private final Span head;
  private final Span rotary;

  public ToyModel(Device device) {
    this(device, new AdapterWeights(Map.of()));
  }

  /** With an adapter that is part of the weights: what {@code W + scale · B · A} gives. */
  public ToyModel(Device device, AdapterWeights folded) {
    kernels = Kernels.load(device);
    Random random = new Random(7);
    try (Stream stream = device.createStream("toy weights")) {
      embedding = weights(device, stream, random, VOCABULARY * WIDTH, 1);
      norm = weights(device, stream, random, WIDTH, 1);
      qkv = folded(device, stream, random, 3 * WIDTH, folded.projections().get("qkv"));
      out = folded(device, stream, random, WIDTH, folded.projections().get("out"));
      head = weights(device, stream, random, VOCABULARY * WIDTH, 0.5f);
      rotary = upload(device, stream, RotaryTable.of(CONTEXT, WIDTH, 10000));
    }
  }

  private Span weights(Device device, Stream stream, Random random, int count, float scale) {
    return upload(device, stream, gaussian(random, count, scale));
  }

  private static float[] gaussian(Random random, int count, float scale) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (float) random.nextGaussian() * scale;
    }
    return values;
  }

  private Span folded(
      Device device, Stream stream, Random random, int rows, @Nullable LowRankWeights low) {
    float[] values = gaussian(random, rows * WIDTH, 0.5f);
    for (int i = 0; low != null && i < values.length; i++) {
      double sum = 0;
      for (int r = 0; r < low.rank(); r++) {
        sum += (double) low.b()[i / WIDTH * low.rank() + r] * low.a()[r * WIDTH + i % WIDTH];
      }
      values[i] += (float) (low.scale() * sum);
    }
    return upload(device, stream, values);
  }

  /** An adapter with random weights for some of {@code qkv} and {@code out}. */
  public static AdapterWeights adapter(long seed, int rank, String... projections) {
    Random random = new Random(seed);
    Map<String, LowRankWeights> parts = new HashMap<>();
    for (String name : projections) {
      int out = name.equals("qkv") ? 3 * WIDTH : WIDTH;
      float[] a = gaussian(random, rank * WIDTH, 0.4f);
      parts.put(name, new LowRankWeights(rank, 0.7f, a, gaussian(random, out * rank, 0.4f)));
    }
    return new AdapterWeights(parts);
  }

  @Override
  public List<AdapterProjection> adapterProjections() {
    return List.of(
        new AdapterProjection("qkv", WIDTH, 3 * WIDTH), new AdapterProjection("out", WIDTH, WIDTH));
  }

  private void adapt(
      List<PreparedLaunch> launches, StepBuffers b, StepShape shape, String name, Span x, Span y) {
    if (shape.adapted()) {
      launches.addAll(
          Objects.requireNonNull(b.adapters())
              .launches(
                  kernels,
                  name,
                  x,
                  b.inputs().span(RowInput.ADAPTERS),
                  b.inputs().span(RowInput.POSITIONS),
                  y,
                  b.status(),
                  shape.bucket().rows()));
    }
  }

  private Span upload(Device device, Stream stream, float[] values) {
    DeviceBuffer buffer = device.allocate("toy " + buffers.size(), 4L * values.length);
    buffers.add(buffer);
    stream.write(values, buffer, 0);
    return Span.of(buffer);
  }

  @Override
  public ModelInfo info() {
    return new ModelInfo(
        "toy",
        "toy-digest",
        "F32",
        "F32",
        "by position",
        new KvLayout(1, 1, WIDTH, BLOCK),
        VOCABULARY,
        CONTEXT,
        0);
  }

  @Override
  public Kernels kernels() {
    return kernels;
  }

  @Override
  public WorkspacePlan planWorkspace(int maxRows, int maxLogitRows) {
    long row = 4L * WIDTH;
    return new WorkspacePlan()
        .add("hidden", maxRows * row)
        .add("normed", maxRows * row)
        .add("qkv", maxRows * row * 3)
        .add("query", maxRows * row)
        .add("attended", maxRows * row)
        .add("delta", maxRows * row)
        .add("last", maxLogitRows * row);
  }

  @Override
  public Step prepare(StepBuffers b, StepShape shape) {
    int rows = shape.bucket().rows();
    int logitRows = shape.logitRows();
    Span tokens = b.inputs().span(RowInput.TOKENS);
    Span positions = b.inputs().span(RowInput.POSITIONS);
    Span sequences = b.inputs().span(RowInput.SEQUENCES);
    BlockTables tables = b.inputs().blockTables();
    KvLayer kv = b.kv().layer(0);
    Span hidden = b.workspace().span("hidden");
    Span normed = b.workspace().span("normed");
    Span query = b.workspace().span("query");
    Span attended = b.workspace().span("attended");
    Span delta = b.workspace().span("delta");
    Span last = b.workspace().span("last");
    List<PreparedLaunch> launches = new ArrayList<>();
    launches.add(
        kernels
            .embedding()
            .rows(WeightType.F32, embedding, tokens, positions, hidden, rows, WIDTH, VOCABULARY));
    launches.add(kernels.norms().rms(hidden, norm, normed, rows, WIDTH, EPSILON));
    Span qkvRows = b.workspace().span("qkv");
    launches.add(
        kernels.matMul().multiply(WeightType.F32, qkv, normed, qkvRows, rows, WIDTH, 3 * WIDTH));
    adapt(launches, b, shape, "qkv", normed, qkvRows);
    launches.add(
        kernels
            .rotaryEmbedding()
            .writeKv(
                qkvRows,
                rotary,
                positions,
                sequences,
                tables,
                query,
                kv,
                b.status(),
                rows,
                1,
                CONTEXT));
    if (logitRows > 0) {
      launches.add(
          kernels
              .attention()
              .paged(query, kv, positions, sequences, tables, attended, b.status(), rows, 1, 0.2f));
      launches.add(
          kernels.matMul().multiply(WeightType.F32, out, attended, delta, rows, WIDTH, WIDTH));
      adapt(launches, b, shape, "out", attended, delta);
      launches.add(
          kernels
              .norms()
              .rmsResidualGather(
                  hidden,
                  delta,
                  b.inputs().span(RowInput.LOGIT_ROWS),
                  norm,
                  last,
                  b.status(),
                  logitRows,
                  rows,
                  WIDTH,
                  EPSILON));
      launches.add(
          kernels
              .matMul()
              .multiply(WeightType.F32, head, last, b.logits(), logitRows, WIDTH, VOCABULARY));
    }
    return stream -> {
      for (int i = 0; i < launches.size(); i++) {
        stream.launch(launches.get(i));
      }
    };
  }

  @Override
  public void close() {
    buffers.forEach(DeviceBuffer::close);
    kernels.close();
  }
}
