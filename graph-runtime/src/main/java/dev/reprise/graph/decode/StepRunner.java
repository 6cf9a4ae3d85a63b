package dev.reprise.graph.decode;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.Event;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.adapter.AdapterPool;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.cache.CapturedStep;
import dev.reprise.graph.cache.GraphKey;
import dev.reprise.graph.input.RowInput;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.graph.kv.GrowthBudget;
import dev.reprise.graph.kv.KvPool;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of a model over static memory: eagerly by plain launches, or replayed from the
 * graph cache.
 *
 * <p>Steps over prompts and decode steps have inputs of their own, so that what the device feeds
 * back from one decode step to the next outlasts the prompts between them. One stream orders
 * everything: an input copy of a step comes after the reads of the step before.
 *
 * <p>The caller sets inputs, runs a step, and waits for it. One thread at a time.
 */
public final class StepRunner implements AutoCloseable {

  private final Device device;
  private final DecodeModel model;
  private final EngineOptions options;
  private final Stream stream;
  private final StepMemory memory;
  private final PreparedSteps steps;
  private final List<Event> done = new ArrayList<>();
  private final StepGraphs graphs;
  private final @Nullable StepAudit audit;
  private final List<AutoCloseable> owned;
  private final @Nullable PreparedStep[] inFlight;
  private final boolean[] replayed;
  private final long[] startedAt;

  private long launched;
  private long completed;
  private long lastCompletion;

  private final StepCounters counters = new StepCounters();

  private StepRunner(
      Device device,
      DecodeModel model,
      EngineOptions options,
      int maxSequences,
      List<AutoCloseable> owned) {
    ModelInfo info = model.info();
    DecodeOptions decode = options.decode();
    this.device = device;
    this.model = model;
    this.options = options;
    this.owned = owned;
    int slots = options.inFlight();
    stream = own(device.createStream("decode"));
    memory = own(StepMemory.allocate(device, stream, model, options, maxSequences, new KvBudget()));
    for (int slot = 0; slot < slots; slot++) {
      done.add(own(device.createEvent("step " + slot + " done")));
    }
    GraphKey.Environment environment =
        new GraphKey.Environment(
            info.digest(),
            GraphKey.Environment.NO_ADAPTERS,
            info.weights(),
            info.activations(),
            info.kv() + " of " + memory.kv.layer(0).blocks() + " blocks",
            model.kernels().signature(),
            info.attention(),
            device.name() + " " + device.uuid(),
            "CUDA " + device.driverVersion());
    steps = new PreparedSteps(model, memory, environment, slots);
    audit = options.audit() ? own(StepAudit.allocate(device, memory, info.vocabulary())) : null;
    // Closed first: graphs go before the memory that they use.
    graphs = own(new StepGraphs(device, stream, options.graphs(), more -> fitsBudget(more)));
    inFlight = new @Nullable PreparedStep[slots];
    replayed = new boolean[slots];
    startedAt = new long[slots];
    // Whole, once: later uploads only touch rows that the host sets.
    counters.uploaded(memory.inputs.upload(stream) + memory.prefillInputs.upload(stream));
  }

  /**
   * Allocates everything that the steps of a model need, for one step in flight and captures at
   * first use.
   *
   * @param maxSequences how many sequences may have rows in one step
   */
  public static StepRunner create(
      Device device, DecodeModel model, DecodeOptions options, int maxSequences) {
    return create(device, model, EngineOptions.serial(options), maxSequences);
  }

  /**
   * Allocates everything that the steps of a model need.
   *
   * @param maxSequences how many sequences may have rows in one step
   */
  public static StepRunner create(
      Device device, DecodeModel model, EngineOptions options, int maxSequences) {
    List<AutoCloseable> owned = new ArrayList<>();
    try {
      return new StepRunner(device, model, options, maxSequences, owned);
    } catch (RuntimeException e) {
      Closing.all(owned, e);
      throw e;
    }
  }

  /** Whether KV blocks and graphs may take so many more bytes together. */
  private boolean fitsBudget(long more) {
    long taken = memory.kv.bytes() + graphs.bytes();
    return taken + more <= options.kvGrowth().budgetBytes();
  }

  /** What the KV pool may take: graphs are given up for it before requests are preempted. */
  private final class KvBudget implements GrowthBudget {

    @Override
    public boolean allows(long bytes) {
      return fitsBudget(bytes);
    }

    @Override
    public boolean makeRoom(long bytes) {
      long beyondBudget =
          memory.kv.bytes() + graphs.bytes() + bytes - options.kvGrowth().budgetBytes();
      long beyondDevice = bytes - device.memoryInfo().freeBytes();
      // Where neither is short the device has refused all the same; one graph is worth a try.
      long wanted = Math.max(1, Math.max(beyondBudget, beyondDevice));
      return graphs.giveUp(wanted, launched, completed - 1);
    }
  }

  private <T extends AutoCloseable> T own(T resource) {
    owned.add(resource);
    return resource;
  }

  /** The shapes that prompts are cut into: powers of two up to the most rows of a chunk. */
  public static BucketSet prefillBuckets(DecodeOptions options) {
    return PromptSteps.buckets(options);
  }

  /** The inputs of the next decode step. */
  public StaticInputs inputs() {
    return memory.inputs;
  }

  /** The inputs of the next step over a prompt. */
  public StaticInputs prefillInputs() {
    return memory.prefillInputs;
  }

  /** The keys and values. */
  public KvPool kv() {
    return memory.kv;
  }

  /** The adapters; null where there is no room for any. */
  @Nullable AdapterPool adapters() {
    return memory.adapters;
  }

  /** The kernels that steps launch. */
  Kernels kernels() {
    return model.kernels();
  }

  /** What orders all steps. */
  Stream stream() {
    return stream;
  }

  /** Enqueues a step over rows of prompts, by plain launches. */
  public void prefill(StepShape shape, int live) {
    launch(prepared(shape.ofPrompts()), live, true);
  }

  /**
   * Enqueues a decode step: a replay of its captured graph, or plain launches if {@code eager} or
   * if there is no graph. Whether one is captured first is up to the options.
   */
  public void decode(StepShape shape, int live, boolean eagerly) {
    launch(prepared(shape), live, eagerly);
  }

  /** The step of a shape for the result slot that is next. */
  PreparedStep prepared(StepShape shape) {
    return steps.get(shape, nextSlot());
  }

  /**
   * The decode step of the smallest bucket that rows fit. Where there is none, or it is marked as
   * eager, a step of exactly these rows up to the context of that cell, which is never captured.
   */
  PreparedStep decodeStep(int rows, int positions, boolean penalized, boolean adapted) {
    BucketSet buckets = options.decode().buckets();
    Optional<Bucket> bucket = buckets.smallest(rows, positions);
    if (bucket.isPresent()) {
      return prepared(new StepShape(bucket.get(), bucket.get().rows(), penalized, adapted));
    }
    Bucket exact =
        buckets
            .cell(rows, positions)
            .map(cell -> new Bucket(rows, cell.context(), cell.splits()))
            .orElseGet(() -> new Bucket(rows, buckets.maxContext()));
    PreparedStep step = prepared(new StepShape(exact, rows, penalized, adapted));
    step.neverCapture();
    return step;
  }

  /** The result slot of the next step. */
  int nextSlot() {
    return (int) (launched % done.size());
  }

  /**
   * Enqueues a step after its inputs. Once something was enqueued a failure is not retried: the
   * state on the device may have advanced.
   *
   * @throws IllegalStateException if the result slot of the step is still in flight
   */
  void launch(PreparedStep step, int live, boolean eagerly) {
    if (live > step.shape.bucket().rows()) {
      throw new IllegalArgumentException(live + " rows do not fit bucket " + step.shape.bucket());
    }
    if (inFlight[step.slot] != null) {
      throw new IllegalStateException(
          "Result slot %d belongs to a step in flight; wait for it before the next step"
              .formatted(step.slot));
    }
    startedAt[step.slot] = System.nanoTime();
    counters.uploaded(memory.inputs(step.shape.prefill()).upload(stream));
    boolean replay = replay(step, live, eagerly);
    if (!replay) {
      step.enqueue(stream);
    }
    stream.record(done.get(step.slot));
    replayed[step.slot] = replay;
    inFlight[step.slot] = step;
    launched++;
    counters.launched(step, replay, live);
  }

  private boolean replay(PreparedStep step, int live, boolean eagerly) {
    if (eagerly) {
      counters.eager(step, EagerReason.ASKED);
      return false;
    }
    CapturedStep captured = step.captured();
    if (captured == null) {
      step.missed();
      if (options.capture() == CaptureMoment.AT_FIRST_USE && step.wantsCapture()) {
        capture(step, true);
        captured = step.captured();
      }
    }
    if (captured != null) {
      if (audit != null) {
        audit.before(stream, step);
      }
      if (graphs.replay(step, captured, launched)) {
        if (audit != null) {
          audit(audit, step, captured, live);
        }
        return true;
      }
    }
    counters.eager(step, step.reason());
    return false;
  }

  private void audit(StepAudit by, PreparedStep step, CapturedStep captured, int live) {
    try {
      by.compare(stream, step, live);
    } catch (AuditException e) {
      throw e.with(differences(step, captured));
    }
  }

  /** What a capture made now has that the graph has not. */
  private List<String> differences(PreparedStep step, CapturedStep captured) {
    try (Graph now = stream.capture(capture -> step.enqueue(stream))) {
      return NodeDump.of(captured.graph(), names()).differences(NodeDump.of(now, names()));
    }
  }

  private boolean capture(PreparedStep step, boolean evict) {
    return graphs.capture(step, launched, completed - 1, evict);
  }

  /**
   * Captures the step that was wanted most, if any is wanted.
   *
   * @return whether one was captured or tried
   */
  boolean captureMostWanted() {
    PreparedStep most = steps.mostWanted();
    if (most == null) {
      return false;
    }
    capture(most, true);
    return true;
  }

  /**
   * Captures steps for each result slot, unless they are, while there is room.
   *
   * @return whether all of them are captured now
   */
  boolean warmUp(List<StepShape> shapes) {
    boolean all = true;
    for (StepShape shape : shapes) {
      for (int slot = 0; slot < done.size(); slot++) {
        all &= warmUp(shape, slot);
      }
    }
    return all;
  }

  private boolean warmUp(StepShape shape, int slot) {
    PreparedStep step = steps.get(shape, slot);
    return step.captured() != null || capture(step, false);
  }

  /** Records in a history slot what a sequence has seen, before the next step. */
  void remember(int historySlot, DecodeSequence sequence) {
    memory.history.rebuild(
        stream,
        historySlot,
        sequence::token,
        sequence.promptLength(),
        sequence.known(),
        nextSlot());
  }

  /** Copies a token sampled in a result slot to the inputs of a decode row, on the device. */
  void feed(int slot, int logitRow, int row) {
    Span sampled = memory.outputs.sampled(slot);
    Span tokens = memory.inputs.span(RowInput.TOKENS);
    stream.copy(
        sampled.buffer(),
        sampled.offset() + (long) logitRow * Integer.BYTES,
        tokens.buffer(),
        tokens.offset() + (long) row * Integer.BYTES,
        Integer.BYTES);
  }

  /** Copies the token that is the next input of one decode row to another, on the device. */
  void moveToken(int from, int to) {
    Span tokens = memory.inputs.span(RowInput.TOKENS);
    stream.copy(
        tokens.buffer(),
        tokens.offset() + (long) from * Integer.BYTES,
        tokens.buffer(),
        tokens.offset() + (long) to * Integer.BYTES,
        Integer.BYTES);
  }

  /**
   * Waits for the steps enqueued so far.
   *
   * @throws IllegalStateException if a kernel reported what cannot be, such as a block table entry
   *     outside the pool
   */
  public void complete() {
    while (completed < launched) {
      completeOldest();
    }
  }

  /**
   * Waits for the oldest step in flight.
   *
   * @return its result slot
   * @throws IllegalStateException if a kernel reported what cannot be; the step counts as complete
   */
  int completeOldest() {
    int slot = (int) (completed % done.size());
    PreparedStep step = inFlight[slot];
    if (step == null) {
      throw new IllegalStateException("No step is in flight");
    }
    inFlight[slot] = null;
    completed++;
    done.get(slot).synchronize();
    long now = System.nanoTime();
    counters.took(step, replayed[slot], now - Math.max(startedAt[slot], lastCompletion));
    lastCompletion = now;
    memory.outputs.check(stream, slot);
    return slot;
  }

  /** When the last step was seen to be complete, as {@link System#nanoTime}. */
  long lastCompletion() {
    return lastCompletion;
  }

  /** The result slot of the oldest step in flight. */
  int oldestSlot() {
    return (int) (completed % done.size());
  }

  /** Steps in flight. */
  int inFlightCount() {
    return (int) (launched - completed);
  }

  /** Waits for what was enqueued, without looking at what it gave. */
  void drain() {
    java.util.Arrays.fill(inFlight, null);
    completed = launched;
    stream.synchronize();
  }

  /** The token sampled for a logits row of the last completed step; −1 for a padding row. */
  public int sampled(int logitRow) {
    return memory.outputs.sampled((int) ((completed - 1) % done.size()), logitRow);
  }

  /** The token sampled for a logits row of a completed step. */
  int sampled(int slot, int logitRow) {
    return memory.outputs.sampled(slot, logitRow);
  }

  /** The logits of a row of the last step launched. Waits for it. */
  public float[] logits(int logitRow) {
    return memory.outputs.logits(stream, logitRow);
  }

  /** Host time of all captures so far, instantiation and upload included. */
  long captureNanos() {
    return graphs.nanos();
  }

  /** The nodes of the graph of a decode step; empty while it has none. */
  Optional<NodeDump> dump(StepShape shape, int slot) {
    return Optional.ofNullable(steps.get(shape, slot).captured())
        .map(captured -> NodeDump.of(captured.graph(), names()));
  }

  private MemoryNames names() {
    return new MemoryNames(memory);
  }

  /** As {@link KvPool#shrink}; no step is in flight. */
  long shrinkKv() {
    return memory.kv.shrink();
  }

  /** Counters since the runner was created. */
  public DecodeStatistics statistics() {
    return counters.statistics(graphs, memory.kv.bytes(), memory.workspace.bytes());
  }

  /** Counters of steps since the runner was created. */
  StepMetrics stepMetrics() {
    return counters.metrics(steps.use(), audit == null ? 0 : audit.compared());
  }

  /** Counters of graphs since the runner was created. */
  GraphMetrics graphMetrics() {
    return graphs.metrics();
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
    failure = Closing.all(owned, failure);
    owned.clear();
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public String toString() {
    return "StepRunner[" + model.info().name() + " on " + device.name() + "]";
  }
}
