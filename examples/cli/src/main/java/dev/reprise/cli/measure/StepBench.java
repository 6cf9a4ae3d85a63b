package dev.reprise.cli.measure;

import dev.reprise.cuda.Stream;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.cache.CaptureCost;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.StepRunner;
import dev.reprise.graph.decode.StepShape;
import dev.reprise.graph.input.RowInput;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.graph.kv.KvPool;
import dev.reprise.graph.kv.KvSequence;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Times the decode steps of buckets, all arms of all buckets in turns.
 *
 * <p>Each pass makes a runner, captures every bucket anew and runs rounds; a first pass of two
 * rounds warms the JVM up and counts only for the bytes. In a round each arm of each bucket is
 * visited once: its rows are placed, one step goes unmeasured, which uploads the inputs, and the
 * next {@value #TIMED} are timed from the launch to the completion. The order of a round turns
 * around in the next.
 */
public final class StepBench {

  /** The shortest context that can be measured. */
  public static final int LEAST_CONTEXT = 4;

  private static final int TIMED = 2;
  private static final int STEPS = TIMED + 1;
  private static final int WARM_ROUNDS = 2;
  private static final double MICROS = 1e3;

  private final OpenModel model;
  private final BucketSet buckets;
  private final List<StepArm> arms;
  private final List<Cell> cells = new ArrayList<>();

  private StepBench(OpenModel model, BucketSet buckets, Set<StepArm> arms) {
    this.model = model;
    this.buckets = buckets;
    this.arms = List.copyOf(arms);
    for (Bucket bucket : buckets.largestFirst().reversed()) {
      if (bucket.context() < LEAST_CONTEXT
          || bucket.context() > model.model().info().maxContext()) {
        throw new IllegalArgumentException(
            "bucket %s cannot be measured: contexts of %s go from %d to %d"
                .formatted(
                    bucket,
                    model.model().info().name(),
                    LEAST_CONTEXT,
                    model.model().info().maxContext()));
      }
      cells.add(new Cell(bucket));
    }
  }

  /**
   * Measures.
   *
   * @param arms what is compared
   * @param passes how often every bucket is captured
   * @param again whether a pass has a round of this number, from 0 on
   * @param progress told each round
   * @return the buckets, the smallest first
   * @throws IllegalArgumentException if the model cannot have a context
   * @throws IllegalStateException if a bucket cannot be captured
   */
  public static List<BucketTimes> run(
      OpenModel model,
      BucketSet buckets,
      Set<StepArm> arms,
      int passes,
      IntPredicate again,
      Progress progress) {
    StepBench bench = new StepBench(model, buckets, arms);
    bench.pass(round -> round < WARM_ROUNDS, progress);
    bench.cells.forEach(Cell::forget);
    for (int pass = 0; pass < passes; pass++) {
      bench.pass(again, progress);
    }
    return bench.cells.stream().map(Cell::times).toList();
  }

  private void pass(IntPredicate again, Progress progress) {
    int perRow = model.model().info().kv().blocksFor(buckets.maxContext());
    DecodeOptions options = new DecodeOptions(buckets, 1, buckets.maxRows() * perRow + 1, false);
    List<KvSequence> sequences = new ArrayList<>();
    try (StepRunner runner =
        StepRunner.create(model.device(), model.model(), options, buckets.maxRows())) {
      try {
        zero(runner.kv());
        fillRows(runner, sequences);
        cells.forEach(cell -> cell.capture(runner));
        for (int round = 0; again.test(round); round++) {
          List<Cell> order = round % 2 == 0 ? cells : cells.reversed();
          for (Cell cell : order) {
            cell.visit(runner, round % 2 == 0 ? arms : arms.reversed());
          }
          progress.step();
        }
      } finally {
        sequences.forEach(KvSequence::close);
      }
    }
  }

  /** Keys and values that no step wrote must be numbers: attention at the end reads them. */
  private void zero(KvPool kv) {
    // The pool zeroes a block of its own accord, on a stream of the runner.
    model.device().synchronize();
    try (Stream stream = model.device().createStream("zero the KV pool")) {
      var buffer = kv.keys(0).buffer();
      stream.fill32(buffer, 0, buffer.size() / Integer.BYTES, 0);
      stream.synchronize();
    }
  }

  /** A sequence for each row, with blocks for the longest context. */
  private void fillRows(StepRunner runner, List<KvSequence> sequences) {
    StaticInputs inputs = runner.inputs();
    for (int row = 0; row < buckets.maxRows(); row++) {
      KvSequence sequence = runner.kv().newSequence("row " + row);
      sequences.add(sequence);
      sequence.reserve(0, buckets.maxContext());
      inputs.setBlockTable(row, sequence);
      inputs.set(RowInput.SEQUENCES, row, row);
      inputs.set(RowInput.LOGIT_ROWS, row, row);
      inputs.set(RowInput.TEMPERATURE, row, 0f);
      inputs.set(RowInput.TOP_K, row, 0);
      inputs.set(RowInput.TOP_P, row, 1f);
      inputs.set(RowInput.MIN_P, row, 0f);
      inputs.set(RowInput.SEEDS, row, 0L);
    }
  }

  /** A bucket and what was measured of it. */
  private final class Cell {

    private final StepShape shape;
    private final Sample capture = new Sample();
    private final Sample instantiate = new Sample();
    private final Sample upload = new Sample();
    private final Sample firstReplay = new Sample();
    private final Map<StepArm, Sample> steps = new EnumMap<>(StepArm.class);
    private int nodes;
    private long bytes;

    Cell(Bucket bucket) {
      this.shape = new StepShape(bucket, bucket.rows());
      arms.forEach(arm -> steps.put(arm, new Sample()));
    }

    void capture(StepRunner runner) {
      place(runner, 0);
      // Eager first: it prepares the launches, which a capture needs as well.
      step(runner, true);
      double micros = step(runner, false);
      CaptureCost cost = runner.statistics().captures().get(shape);
      if (cost == null) {
        throw new IllegalStateException(
            "bucket %s is not captured: %s"
                .formatted(shape.bucket(), runner.statistics().captureFailures()));
      }
      nodes = cost.nodes();
      bytes = Math.max(bytes, cost.deviceBytes());
      capture.add(cost.captureNanos() / MICROS);
      instantiate.add(cost.instantiateNanos() / MICROS);
      upload.add(cost.uploadNanos() / MICROS);
      long made = cost.captureNanos() + cost.instantiateNanos() + cost.uploadNanos();
      firstReplay.add(micros - made / MICROS);
    }

    void visit(StepRunner runner, List<StepArm> order) {
      for (StepArm arm : order) {
        place(runner, arm.firstPosition(shape.bucket().context(), STEPS));
        step(runner, arm.eager());
        for (int i = 0; i < TIMED; i++) {
          sample(arm).add(step(runner, arm.eager()));
        }
      }
    }

    private Sample sample(StepArm arm) {
      return Objects.requireNonNull(steps.get(arm));
    }

    /** Microseconds of one step. */
    private double step(StepRunner runner, boolean eager) {
      long start = System.nanoTime();
      runner.decode(shape, shape.bucket().rows(), eager);
      runner.complete();
      return (System.nanoTime() - start) / MICROS;
    }

    private void place(StepRunner runner, int position) {
      for (int row = 0; row < shape.bucket().rows(); row++) {
        runner.inputs().set(RowInput.TOKENS, row, row + 1);
        runner.inputs().set(RowInput.POSITIONS, row, position);
      }
    }

    void forget() {
      List.of(capture, instantiate, upload, firstReplay).forEach(Sample::clear);
      steps.values().forEach(Sample::clear);
    }

    BucketTimes times() {
      Map<StepArm, Summary> summaries = new EnumMap<>(StepArm.class);
      steps.forEach((arm, sample) -> summaries.put(arm, sample.summary()));
      return new BucketTimes(
          shape.bucket(),
          nodes,
          bytes,
          capture.summary(),
          instantiate.summary(),
          upload.summary(),
          firstReplay.summary(),
          summaries);
    }
  }
}
