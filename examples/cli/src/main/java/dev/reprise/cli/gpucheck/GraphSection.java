package dev.reprise.cli.gpucheck;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.cache.CaptureCost;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.StepRunner;
import dev.reprise.graph.decode.StepShape;
import dev.reprise.graph.input.RowInput;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.graph.kv.KvSequence;
import java.util.ArrayList;
import java.util.List;

/** What a graph of the embedded model's step costs to make and to replay, for each bucket. */
final class GraphSection implements Section {

  private static final double MICROS = 1e3;

  /** Steps of a bucket, both kinds together, besides the two that come first. */
  private static final int MOST_STEPS = 120;

  private static final int LEAST_STEPS = 12;

  @Override
  public String key() {
    return "graphs";
  }

  @Override
  public String title() {
    return "Graphs of a decode step";
  }

  @Override
  public boolean timed() {
    return true;
  }

  @Override
  public void run(CheckPlan plan, SectionLog log) {
    try (TinyModel tiny = TinyModel.open()) {
      List<Integer> rows = plan.rows();
      BucketSet buckets = BucketSet.of(rows, contexts(tiny));
      int perSequence = tiny.model().info().kv().blocksFor(MOST_STEPS + 2);
      DecodeOptions options =
          new DecodeOptions(buckets, 1, buckets.maxRows() * perSequence + 1, false);
      Table table =
          log.table(
              "buckets",
              "Buckets, all rows live; times are host times to the completion of the step",
              Table.column("rows", "rows"),
              Table.column("context", "context"),
              Table.column("nodes", "nodes"),
              Table.column("capture_us", "capture, µs"),
              Table.column("instantiate_us", "instantiate, µs"),
              Table.column("upload_us", "upload, µs"),
              Table.column("first_replay_us", "first replay, µs"),
              Table.column("replay_median_us", "replay, median µs"),
              Table.column("replay_p90_us", "replay, p90 µs"),
              Table.column("eager_median_us", "eager, median µs"),
              Table.column("eager_p90_us", "eager, p90 µs"),
              Table.column("device_bytes", "device bytes"));
      try (StepRunner runner =
          StepRunner.create(tiny.device(), tiny.model(), options, buckets.maxRows())) {
        List<Bucket> all = buckets.largestFirst().reversed();
        for (Bucket bucket : all) {
          measure(bucket, runner, plan.deadline(0.2 / all.size()), table, log);
        }
      }
    }
  }

  private static List<Integer> contexts(TinyModel tiny) {
    return tiny.options().buckets().largestFirst().stream().map(Bucket::context).toList();
  }

  private static void measure(
      Bucket bucket, StepRunner runner, CheckPlan.Deadline deadline, Table table, SectionLog log) {
    List<KvSequence> sequences = new ArrayList<>();
    try {
      begin(runner, bucket.rows(), sequences);
      StepShape shape = new StepShape(bucket, bucket.rows());
      // Eager first: it prepares the launches, which a capture needs as well.
      step(runner, shape, true);
      double firstMicros = step(runner, shape, false);
      CaptureCost cost = runner.statistics().captures().get(shape);
      log.check(
          "bucket " + bucket + " is captured",
          cost != null,
          "captures failed: " + runner.statistics().captureFailures());
      if (cost == null) {
        return;
      }
      double made = (cost.captureNanos() + cost.instantiateNanos() + cost.uploadNanos()) / MICROS;
      Sample replayed = new Sample();
      Sample eager = new Sample();
      for (int i = 0; i < MOST_STEPS && (i < LEAST_STEPS || !deadline.passed()); i += 2) {
        replayed.add(step(runner, shape, false));
        eager.add(step(runner, shape, true));
      }
      Summary replay = replayed.summary();
      Summary plain = eager.summary();
      table.add(
          bucket.rows(),
          bucket.context(),
          cost.nodes(),
          cost.captureNanos() / MICROS,
          cost.instantiateNanos() / MICROS,
          cost.uploadNanos() / MICROS,
          firstMicros - made,
          replay.median(),
          replay.p90(),
          plain.median(),
          plain.p90(),
          cost.deviceBytes());
      log.headline(
          "bucket %s, %d nodes: replay %s µs, eager %s µs"
              .formatted(bucket, cost.nodes(), Numbers.text(replay), Numbers.text(plain)));
    } finally {
      sequences.forEach(KvSequence::close);
    }
  }

  /** Microseconds of one step. */
  private static double step(StepRunner runner, StepShape shape, boolean eager) {
    long start = System.nanoTime();
    runner.decode(shape, shape.bucket().rows(), eager);
    runner.complete();
    return (System.nanoTime() - start) / MICROS;
  }

  /** A sequence for each row, at position 0, with blocks for all steps; the device counts on. */
  private static void begin(StepRunner runner, int rows, List<KvSequence> sequences) {
    StaticInputs inputs = runner.inputs();
    for (int row = 0; row < rows; row++) {
      KvSequence sequence = runner.kv().newSequence();
      sequences.add(sequence);
      sequence.reserve(MOST_STEPS + 1);
      inputs.setBlockTable(row, sequence);
      inputs.set(RowInput.TOKENS, row, row + 1);
      inputs.set(RowInput.POSITIONS, row, 0);
      inputs.set(RowInput.SEQUENCES, row, row);
      inputs.set(RowInput.LOGIT_ROWS, row, row);
      inputs.set(RowInput.TEMPERATURE, row, 0f);
      inputs.set(RowInput.TOP_K, row, 0);
      inputs.set(RowInput.TOP_P, row, 1f);
      inputs.set(RowInput.MIN_P, row, 0f);
      inputs.set(RowInput.SEEDS, row, 0L);
    }
  }
}
