package dev.reprise.graph.decode;

import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.Device;
import dev.reprise.graph.adapter.AdapterException;
import dev.reprise.graph.adapter.AdapterPool;
import dev.reprise.graph.adapter.AdapterRegistry;
import dev.reprise.graph.adapter.AdapterWeights;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.kv.FreedBlockException;
import dev.reprise.graph.kv.KvBlocks;
import dev.reprise.graph.kv.KvSequence;
import dev.reprise.graph.schedule.Decision;
import dev.reprise.graph.schedule.RequestRefusedException;
import dev.reprise.graph.schedule.RequestRefusedException.Reason;
import dev.reprise.graph.schedule.ScheduledSequence.State;
import dev.reprise.graph.schedule.Scheduler;
import dev.reprise.graph.schedule.SchedulerOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decodes many sequences with continuous batching: they join and leave between steps.
 *
 * <p>Each {@link #turn} launches what the scheduler decides, up to the number of steps in flight,
 * and then reads the oldest step. With two in flight the next step is launched before the last one
 * is read; a sequence that turns out to have stopped takes part in one step too many, and what that
 * step gives for it is dropped. Tokens never pass through the host on their way to the next step.
 *
 * <p>A failed step is not run again, since the state on the device may have advanced: its sequences
 * end as failed, the others go on. One thread at a time; {@link dev.reprise.graph.host} gives it a
 * thread of its own.
 */
public final class DecodeEngine implements AutoCloseable {

  private final StepRunner runner;
  private final ModelInfo model;
  private final EngineOptions options;
  private final PromptLimits limits;
  private final PromptSteps promptSteps;
  private final WarmUpShapes warmUps;
  private final Scheduler<DecodeSequence> scheduler;
  private final RowSteps steps;
  private final RowChanges changes;
  private final Flight[] flights;
  private long blocksFreed;
  private long tokens;
  private @Nullable CudaException lost;

  private DecodeEngine(StepRunner runner, DecodeModel model, EngineOptions options) {
    this.runner = runner;
    this.model = model.info();
    this.options = options;
    DecodeOptions decode = options.decode();
    int maxRows = decode.buckets().maxRows();
    this.limits = PromptLimits.of(model.info(), decode);
    this.promptSteps = new PromptSteps(decode);
    this.warmUps = new WarmUpShapes(promptSteps, runner.adapters() != null);
    this.steps = new RowSteps(runner, options.inFlight());
    this.changes = new RowChanges(new DecodeRows(runner, maxRows), steps);
    this.scheduler =
        new Scheduler<>(
            runner.kv().blocks(),
            new SchedulerOptions(
                options.maxWaiting(),
                maxRows,
                decode.prefillRows(),
                options.prefixReuse() ? this.model.digest() : ""),
            changes);
    this.flights = new Flight[options.inFlight()];
    for (int i = 0; i < flights.length; i++) {
      flights[i] = new Flight(maxRows);
    }
  }

  /**
   * Allocates everything that steps need; nothing is allocated on the device after that. The model
   * is not closed with the engine.
   */
  public static DecodeEngine create(Device device, DecodeModel model, EngineOptions options) {
    int sequences = options.decode().buckets().maxRows();
    StepRunner runner = StepRunner.create(device, model, options, sequences);
    return new DecodeEngine(runner, model, options);
  }

  /** Positions that a sequence can have. */
  public int maxContext() {
    return limits.maxContext();
  }

  /**
   * The most tokens that a prompt and its continuation can have together: the last one is sampled
   * at the last position and has none itself.
   */
  public int maxLength(int promptLength, int maxTokens) {
    return limits.maxLength(promptLength, maxTokens);
  }

  /**
   * Refuses a prompt that the model cannot continue. Any thread.
   *
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public void checkPrompt(int[] prompt) {
    limits.check(prompt);
  }

  /**
   * Refuses a request that could not run if it had everything for itself. Any thread.
   *
   * @throws RequestRefusedException with {@link Reason#TOO_LARGE}
   */
  public void checkFits(DecodeSequence sequence) {
    scheduler.checkFits(sequence);
  }

  /**
   * Puts a request into the queue.
   *
   * @throws RequestRefusedException if it cannot be taken
   */
  public void submit(DecodeSequence sequence) {
    if (lost != null) {
      throw new RequestRefusedException(
          Reason.DEVICE_LOST,
          sequence.name() + " is refused: the device failed for good: " + lost.getMessage());
    }
    try {
      if (sequence.adapterSlot() >= 0 && runner.adapters() == null) {
        throw new AdapterException("there is no room for adapters");
      }
    } catch (AdapterException e) {
      throw new RequestRefusedException(
          Reason.UNSUPPORTED, sequence.name() + " is refused: " + e.getMessage());
    }
    scheduler.submit(sequence);
  }

  /** Ends a request wherever it stands, unless it has ended. */
  public void cancel(DecodeSequence sequence) {
    end(sequence, FinishReason.CANCELLED, null);
  }

  /**
   * Launches up to the number of steps in flight and reads the oldest.
   *
   * @param now the time, of the clock of the deadlines
   * @return false if there was nothing to do
   */
  public boolean turn(long now) {
    boolean failed = false;
    try {
      while (runner.inFlightCount() < flights.length && launch(now)) {}
    } catch (StepFailure e) {
      failed = true;
      fail(e);
    }
    if (runner.inFlightCount() == 0) {
      DecodeSequence head = scheduler.anyWaiting();
      if (head != null && !failed) {
        throw new IllegalStateException(
            head
                + " waits while nothing runs, with %d KV blocks available; this is a defect"
                    .formatted(runner.kv().blocks().available()));
      }
      return failed;
    }
    read();
    return true;
  }

  private boolean launch(long now) throws StepFailure {
    Decision<DecodeSequence> decision = decide(now);
    switch (decision) {
      case Decision.Prefill<DecodeSequence> chunks -> {
        checkPrompts(chunks);
        try {
          launch(chunks);
          scheduler.launched(decision);
        } catch (RuntimeException e) {
          throw new StepFailure(sequences(chunks), e);
        }
      }
      case Decision.Decode<DecodeSequence> all -> {
        checkRows();
        if (scheduler.rowCount() == 0) {
          return launch(now);
        }
        try {
          launchRows();
          scheduler.launched(decision);
        } catch (RuntimeException e) {
          throw new StepFailure(List.copyOf(scheduler.rows()), e);
        }
      }
      case Decision.Idle<DecodeSequence> nothing -> {
        return false;
      }
    }
    return true;
  }

  private Decision<DecodeSequence> decide(long now) throws StepFailure {
    try {
      return scheduler.next(now);
    } catch (RuntimeException e) {
      // Which sequence it was about is not known: whoever has blocks, or was about to get some.
      List<DecodeSequence> concerned = running();
      DecodeSequence head = scheduler.anyWaiting();
      if (head != null) {
        concerned.add(head);
      }
      throw new StepFailure(concerned, e);
    }
  }

  private List<DecodeSequence> running() {
    return new ArrayList<>(scheduler.runningSequences());
  }

  /** Ends the step before it begins if there is something wrong with one of its sequences. */
  private static void checkPrompts(Decision.Prefill<DecodeSequence> prefill) throws StepFailure {
    for (DecodeSequence sequence : sequences(prefill)) {
      try {
        Objects.requireNonNull(sequence.kv()).check();
        sequence.adapterSlot();
      } catch (RuntimeException e) {
        throw new StepFailure(List.of(sequence), e);
      }
    }
  }

  private static List<DecodeSequence> sequences(Decision.Prefill<DecodeSequence> prefill) {
    return prefill.chunks().stream().map(Decision.Chunk::sequence).toList();
  }

  private void launch(Decision.Prefill<DecodeSequence> prefill) {
    StepShape shape = promptSteps.shape(prefill);
    changes.rows().setPrompts(prefill.chunks(), shape);
    PreparedStep step = runner.prepared(shape);
    runner.launch(step, prefill.positions(), options.decode().eager());
    Flight flight = flights[step.slot];
    flight.begin();
    for (Decision.Chunk<DecodeSequence> chunk : prefill.chunks()) {
      DecodeSequence sequence = chunk.sequence();
      flight.computes(sequence, Objects.requireNonNull(sequence.kv()), chunk.to());
      if (chunk.last()) {
        flight.samples(sequence);
      }
    }
    changes.rows().joinFrom(step.slot);
  }

  /**
   * Refuses rows before they are launched whose inputs could not be written, or whose block tables
   * name blocks that were freed.
   */
  private void checkRows() {
    for (StepFailure failure = changes.unsound(); failure != null; failure = changes.unsound()) {
      fail(failure);
    }
    KvBlocks blocks = runner.kv().blocks();
    long freed = blocks.allocator().freedCount();
    if (freed == blocksFreed) {
      return;
    }
    blocksFreed = freed;
    // From the end: the last row takes the place of one that ends.
    for (int row = scheduler.rowCount() - 1; row >= 0; row--) {
      DecodeSequence sequence = scheduler.row(row);
      KvSequence kv = sequence.kv();
      try {
        if (kv != null) {
          kv.check();
        }
      } catch (FreedBlockException e) {
        end(sequence, FinishReason.FAILED, e);
      }
    }
  }

  private void launchRows() {
    int count = scheduler.rowCount();
    PreparedStep step = steps.forRows(scheduler.rows());
    runner.launch(step, count, options.decode().eager());
    Flight flight = flights[step.slot];
    flight.begin();
    for (int row = 0; row < count; row++) {
      flight.samples(scheduler.row(row));
    }
  }

  private void read() {
    Flight flight = flights[runner.oldestSlot()];
    int slot;
    try {
      slot = runner.completeOldest();
    } catch (RuntimeException e) {
      fail(new StepFailure(concerned(flight), e));
      return;
    }
    for (int i = 0; i < flight.chunkCount(); i++) {
      scheduler.computed(flight.prompt(i), flight.blocks(i), flight.end(i));
    }
    for (int i = 0; i < flight.sampledCount(); i++) {
      DecodeSequence sequence = flight.sampled(i);
      // A sequence that ended meanwhile took part in one step too many.
      if (sequence.state() != State.ENDED) {
        read(sequence, runner.sampled(slot, i));
      }
    }
  }

  private static List<DecodeSequence> concerned(Flight flight) {
    List<DecodeSequence> concerned = new ArrayList<>();
    for (int i = 0; i < flight.chunkCount(); i++) {
      concerned.add(flight.prompt(i));
    }
    for (int i = 0; i < flight.sampledCount(); i++) {
      concerned.add(flight.sampled(i));
    }
    return concerned;
  }

  private void read(DecodeSequence sequence, int token) {
    if (token < 0) {
      end(
          sequence,
          FinishReason.FAILED,
          new IllegalStateException(sequence.name() + ": a step sampled nothing for it"));
      return;
    }
    scheduler.read(sequence, token);
    if (sequence.stopsAt(token)) {
      end(sequence, FinishReason.STOP, null);
      return;
    }
    tokens++;
    boolean goOn;
    try {
      goOn = sequence.listener().onToken(token);
    } catch (RuntimeException e) {
      end(sequence, FinishReason.FAILED, e);
      return;
    }
    if (!goOn) {
      end(sequence, FinishReason.CANCELLED, null);
    } else if (sequence.known() == sequence.maxLength()) {
      end(sequence, FinishReason.LENGTH, null);
    }
  }

  private void end(
      DecodeSequence sequence, FinishReason reason, @Nullable RuntimeException failure) {
    if (sequence.state() == State.ENDED || sequence.state() == State.NEW) {
      return;
    }
    scheduler.end(sequence);
    changes.ended(sequence, reason, failure);
  }

  /** Ends those that a failed step concerns; all, if the context is lost with it. */
  private void fail(StepFailure step) {
    if (step.failure() instanceof CudaException e && e.contextPoisoned()) {
      lost = e;
      failAll(e);
      return;
    }
    step.sequences().forEach(s -> end(s, FinishReason.FAILED, step.failure()));
  }

  private void failAll(RuntimeException failure) {
    running().forEach(s -> end(s, FinishReason.FAILED, failure));
    for (Flight flight : flights) {
      concerned(flight).forEach(s -> end(s, FinishReason.FAILED, failure));
    }
    for (DecodeSequence s = scheduler.anyWaiting(); s != null; s = scheduler.anyWaiting()) {
      end(s, FinishReason.FAILED, failure);
    }
  }

  /**
   * Captures the step that was wanted most. For when there is nothing else to do.
   *
   * @return whether one was wanted
   */
  public boolean captureWanted() {
    return lost == null
        && options.capture() == CaptureMoment.WHEN_IDLE
        && !options.decode().eager()
        && runner.captureMostWanted();
  }

  /** As {@link #warmUp(Bucket, WarmUpScope)}, of {@link WarmUpScope#DECODE}. */
  public boolean warmUp(Bucket bucket) {
    return warmUp(bucket, WarmUpScope.DECODE);
  }

  /**
   * Captures the decode steps of a bucket, unless they are captured already, while there is room.
   *
   * @return whether all of them are captured now
   */
  public boolean warmUp(Bucket bucket, WarmUpScope scope) {
    return lost == null && runner.warmUp(warmUps.decode(bucket, scope));
  }

  /**
   * Captures the steps over prompts that are asked for, the largest first, while there is room.
   *
   * @return whether all of them are captured now
   */
  public boolean warmUpPrompts(WarmUpScope scope) {
    return lost == null && runner.warmUp(warmUps.prompts(scope));
  }

  /**
   * The nodes of the graph of a decode step, with names in the place of addresses; empty while it
   * is not captured. Two captures of a step can be compared by {@link NodeDump#differences}.
   *
   * @param resultSlot 0, or 1 for the other graph where two steps are in flight
   */
  public Optional<NodeDump> dump(StepShape shape, int resultSlot) {
    return runner.dump(shape, resultSlot);
  }

  /**
   * Gives memory of KV blocks at the end of the pool back that no sequence holds. Reads the steps
   * in flight first. If any is given back, all graphs are captured again when they are wanted.
   *
   * @return the bytes given back; 0 for a pool of fixed size
   */
  public long shrinkKv() {
    while (runner.inFlightCount() > 0) {
      read();
    }
    return lost == null ? runner.shrinkKv() : 0;
  }

  /**
   * Which adapters are loaded.
   *
   * @throws AdapterException if there is no room for any
   */
  public AdapterRegistry adapters() {
    return adapterPool().registry();
  }

  /**
   * Loads an adapter, in the order of the steps; returns when it is there.
   *
   * @throws AdapterException if it does not fit the model, if its name is taken, or if no slot is
   *     free
   */
  public void loadAdapter(String name, AdapterWeights weights) {
    adapterPool().load(runner.stream(), name, weights);
  }

  /**
   * Frees the slot of an adapter.
   *
   * @throws AdapterException if none of that name is loaded, or requests use it
   */
  public void unloadAdapter(String name) {
    adapterPool().unload(name);
  }

  private AdapterPool adapterPool() {
    AdapterPool pool = runner.adapters();
    if (pool == null) {
      throw new AdapterException(
          "there is no room for adapters; start with EngineOptions.withAdapters");
    }
    return pool;
  }

  /** When the step was read whose tokens are told now, as {@link System#nanoTime}. */
  public long readAt() {
    return runner.lastCompletion();
  }

  /** The logits of a row of the last step launched, copied to the host. Waits for it. */
  public float[] logits(int logitRow) {
    return runner.logits(logitRow);
  }

  /** Counters and gauges. */
  public DecodeMetrics metrics() {
    KvBlocks blocks = runner.kv().blocks();
    return new DecodeMetrics(
        scheduler.counters(),
        changes.ended(),
        tokens,
        runner.stepMetrics(),
        runner.graphMetrics(),
        new DecodeMetrics.KvMetrics(
            blocks.capacity(),
            blocks.mostCapacity(),
            blocks.available(),
            blocks.cached(),
            blocks.copies(),
            runner.kv().bytes(),
            runner.kv().growths(),
            runner.kv().refusedGrowths()),
        runner.statistics().workspaceBytes(),
        DecodeMetrics.VariantMetrics.of(runner.kernels()));
  }

  StepRunner runner() {
    return runner;
  }

  Scheduler<DecodeSequence> scheduler() {
    return scheduler;
  }

  /** Waits for the steps in flight; what they gave is dropped. Requests must have ended. */
  void drain() {
    runner.drain();
  }

  /**
   * Cancels all requests, waits for the steps in flight, then frees graphs before the memory that
   * they use.
   */
  @Override
  public void close() {
    running().forEach(this::cancel);
    for (DecodeSequence s = scheduler.anyWaiting(); s != null; s = scheduler.anyWaiting()) {
      cancel(s);
    }
    for (Flight flight : flights) {
      concerned(flight).forEach(this::cancel);
    }
    runner.close();
  }

  @Override
  public String toString() {
    return "DecodeEngine[" + model.name() + ", " + options + "]";
  }
}
