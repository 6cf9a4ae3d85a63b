package dev.reprise.graph.decode;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.cache.CapturedStep;
import dev.reprise.graph.cache.GraphKey;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.graph.kv.KvPool;
import dev.reprise.graph.workspace.Workspace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of a model over static memory: eagerly by plain launches, or replayed from the
 * graph cache.
 *
 * <p>The caller sets {@link #inputs()}, runs a step, and waits with {@link #complete()}. One thread
 * at a time.
 */
public final class StepRunner implements AutoCloseable {

  private final DecodeModel model;
  private final Stream stream;
  private final StaticInputs inputs;
  private final KvPool kv;
  private final Workspace workspace;
  private final StepOutputs outputs;
  private final Map<StepShape, Step> prepared = new HashMap<>();
  private final StepGraphs graphs;
  private final List<AutoCloseable> owned;

  private long prefillSteps;
  private long eagerSteps;
  private long replays;
  private long liveRows;
  private long paddingRows;
  private long uploadedBytes;

  private StepRunner(
      Device device,
      DecodeModel model,
      DecodeOptions options,
      int maxSequences,
      List<AutoCloseable> owned) {
    ModelInfo info = model.info();
    this.model = model;
    this.owned = owned;
    int maxRows = Math.max(options.buckets().maxRows(), options.prefillRows());
    int maxLogitRows = options.buckets().maxRows();
    int maxBlocks = info.kv().blocksFor(options.buckets().maxContext());
    stream = own(device.createStream("decode"));
    inputs = own(new StaticInputs(device, maxRows, maxSequences, maxBlocks));
    kv = own(KvPool.create(device, stream, info.kv(), options.kvBlocks()));
    workspace = own(Workspace.allocate(device, model.planWorkspace(maxRows, maxLogitRows)));
    outputs = own(StepOutputs.allocate(device, stream, maxLogitRows, info.vocabulary()));
    GraphKey.Environment environment =
        new GraphKey.Environment(
            info.digest(),
            "none",
            info.weights(),
            info.activations(),
            info.kv() + " of " + options.kvBlocks() + " blocks",
            model.kernels().digest(),
            info.attention(),
            device.name() + " " + device.uuid(),
            "CUDA " + device.driverVersion());
    // Closed first: graphs go before the memory that they use.
    graphs = own(new StepGraphs(device, stream, environment));
  }

  /**
   * Allocates everything that the steps of a model need.
   *
   * @param maxSequences how many sequences may have rows in one step
   */
  public static StepRunner create(
      Device device, DecodeModel model, DecodeOptions options, int maxSequences) {
    List<AutoCloseable> owned = new ArrayList<>();
    try {
      return new StepRunner(device, model, options, maxSequences, owned);
    } catch (RuntimeException e) {
      closeAll(owned, e);
      throw e;
    }
  }

  private <T extends AutoCloseable> T own(T resource) {
    owned.add(resource);
    return resource;
  }

  /** The shapes that a prompt is cut into: powers of two up to the most rows of a chunk. */
  static BucketSet prefillBuckets(DecodeOptions options) {
    List<Integer> rows = new ArrayList<>();
    for (int r = 1; r < options.prefillRows(); r *= 2) {
      rows.add(r);
    }
    rows.add(options.prefillRows());
    return BucketSet.of(rows, List.of(options.buckets().maxContext()));
  }

  /** The inputs of the next step. */
  public StaticInputs inputs() {
    return inputs;
  }

  /** The keys and values. */
  public KvPool kv() {
    return kv;
  }

  /** Enqueues a step over rows of prompts, by plain launches. */
  public void prefill(StepShape shape, int live) {
    begin(shape, live);
    prepared(shape).enqueue(stream);
    prefillSteps++;
  }

  /**
   * Enqueues a decode step: a replay of its captured graph, which is captured now if there is none,
   * or plain launches if {@code eager} or if this shape's capture failed before.
   */
  public void decode(StepShape shape, int live, boolean eager) {
    begin(shape, live);
    CapturedStep captured = eager ? null : graphs.get(shape, prepared(shape));
    if (captured != null) {
      captured.replay(stream);
      replays++;
    } else {
      prepared(shape).enqueue(stream);
      eagerSteps++;
    }
  }

  private void begin(StepShape shape, int live) {
    if (live > shape.bucket().rows()) {
      throw new IllegalArgumentException(live + " rows do not fit bucket " + shape.bucket());
    }
    uploadedBytes += inputs.upload(stream);
    liveRows += live;
    paddingRows += shape.bucket().rows() - live;
  }

  /**
   * Waits for the steps enqueued so far.
   *
   * @throws IllegalStateException if a kernel reported what cannot be, such as a block table entry
   *     outside the pool
   */
  public void complete() {
    stream.synchronize();
    outputs.check();
  }

  /** Waits for the steps enqueued so far without looking at what they gave. */
  void drain() {
    stream.synchronize();
  }

  /** The token sampled for a logits row of the last completed step; −1 for a padding row. */
  public int sampled(int logitRow) {
    return outputs.sampled(logitRow);
  }

  /** The logits of a row of the last completed step. */
  public float[] logits(int logitRow) {
    return outputs.logits(stream, logitRow);
  }

  private Step prepared(StepShape shape) {
    return prepared.computeIfAbsent(
        shape,
        s -> {
          StepBuffers buffers =
              new StepBuffers(inputs, kv, workspace, outputs.logitsSpan(), outputs.status());
          return new SampledStep(
              model.prepare(buffers, s),
              model.kernels(),
              inputs,
              outputs,
              model.info().vocabulary(),
              s);
        });
  }

  /** Host time of all captures so far, instantiation and upload included. */
  long captureNanos() {
    return graphs.nanos();
  }

  /** Counters since the runner was created. */
  public DecodeStatistics statistics() {
    return new DecodeStatistics(
        prefillSteps,
        eagerSteps,
        replays,
        graphs.costs(),
        graphs.failures(),
        liveRows,
        paddingRows,
        uploadedBytes,
        kv.bytes(),
        workspace.bytes());
  }

  /** Waits for the steps in flight, then frees graphs before the memory that they use. */
  @Override
  public void close() {
    RuntimeException failure = null;
    try {
      stream.synchronize();
    } catch (RuntimeException e) {
      failure = e;
    }
    failure = closeAll(owned, failure);
    owned.clear();
    if (failure != null) {
      throw failure;
    }
  }

  /** Closes in reverse order; later failures are suppressed by the first. */
  private static @Nullable RuntimeException closeAll(
      List<? extends AutoCloseable> resources, @Nullable RuntimeException first) {
    RuntimeException failure = first;
    for (AutoCloseable resource : resources.reversed()) {
      try {
        resource.close();
      } catch (Exception e) {
        RuntimeException closing =
            e instanceof RuntimeException r ? r : new IllegalStateException(e);
        if (failure == null) {
          failure = closing;
        } else {
          failure.addSuppressed(closing);
        }
      }
    }
    return failure;
  }
}
