package dev.reprise.cli.gpucheck;

import dev.reprise.cli.measure.BucketTimes;
import dev.reprise.cli.measure.Numbers;
import dev.reprise.cli.measure.OpenModel;
import dev.reprise.cli.measure.Progress;
import dev.reprise.cli.measure.StepArm;
import dev.reprise.cli.measure.StepBench;
import dev.reprise.cli.measure.Summary;
import dev.reprise.cli.measure.Table;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import java.util.EnumSet;
import java.util.List;

/** What a graph of the embedded model's step costs to make and to replay, for each bucket. */
final class GraphSection implements Section {

  private static final int MOST_ROUNDS = 30;
  private static final int LEAST_ROUNDS = 3;

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
    List<BucketTimes> buckets;
    try (OpenModel tiny = OpenModel.embedded()) {
      CheckPlan.Deadline deadline = plan.deadline(0.2);
      buckets =
          StepBench.run(
              tiny,
              BucketSet.of(plan.rows(), contexts(tiny)),
              EnumSet.of(StepArm.REPLAY_START, StepArm.EAGER_START),
              1,
              round -> round < MOST_ROUNDS && (round < LEAST_ROUNDS || !deadline.passed()),
              Progress.none());
    }
    Table table =
        log.table(
            "buckets",
            "Buckets, all rows live and near position 0; times are host times to the completion of"
                + " the step",
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
    for (BucketTimes times : buckets) {
      Summary replay = times.steps(StepArm.REPLAY_START);
      Summary eager = times.steps(StepArm.EAGER_START);
      table.add(
          times.bucket().rows(),
          times.bucket().context(),
          times.nodes(),
          times.capture().median(),
          times.instantiate().median(),
          times.upload().median(),
          times.firstReplay().median(),
          replay.median(),
          replay.p90(),
          eager.median(),
          eager.p90(),
          times.deviceBytes());
      log.check(
          "bucket " + times.bucket() + " is captured", times.nodes() > 0, "its graph is empty");
      log.headline(
          "bucket %s, %d nodes: replay %s µs, eager %s µs"
              .formatted(times.bucket(), times.nodes(), Numbers.text(replay), Numbers.text(eager)));
    }
  }

  private static List<Integer> contexts(OpenModel tiny) {
    return tiny.options().buckets().largestFirst().stream().map(Bucket::context).toList();
  }
}
