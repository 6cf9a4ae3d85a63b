package dev.reprise.graph.toy;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
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
import java.util.List;
import java.util.Random;

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
    kernels = Kernels.load(device);
    Random random = new Random(7);
    try (Stream stream = device.createStream("toy weights")) {
      embedding = weights(device, stream, random, VOCABULARY * WIDTH, 1);
      norm = weights(device, stream, random, WIDTH, 1);
      qkv = weights(device, stream, random, 3 * WIDTH * WIDTH, 0.5f);
      out = weights(device, stream, random, WIDTH * WIDTH, 0.5f);
      head = weights(device, stream, random, VOCABULARY * WIDTH, 0.5f);
      rotary = upload(device, stream, RotaryTable.of(CONTEXT, WIDTH, 10000));
    }
  }

  private Span weights(Device device, Stream stream, Random random, int count, float scale) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (float) random.nextGaussian() * scale;
    }
    return upload(device, stream, values);
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
