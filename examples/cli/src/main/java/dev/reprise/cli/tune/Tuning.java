package dev.reprise.cli.tune;

import dev.reprise.graph.bucket.BucketEvidence;
import dev.reprise.graph.bucket.BucketFile;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.bucket.BucketSizes;
import dev.reprise.graph.tune.BucketEvaluation;
import dev.reprise.graph.tune.BucketEvaluator;
import dev.reprise.graph.tune.BucketTuner;
import dev.reprise.graph.tune.TunedBuckets;
import dev.reprise.graph.tune.TunerLimits;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Tunes buckets and compares them with the lists that other systems capture. */
public final class Tuning {

  private final TuneReport report;

  private Tuning(TuneReport report) {
    this.report = report;
  }

  /**
   * Tunes.
   *
   * @throws IllegalArgumentException if a file is not valid or does not go with the options
   */
  public static Tuning run(TuneOptions options) {
    CostSource costs = CostSource.of(options.costs());
    StepSource workload = StepSource.of(options, costs.costs());
    Map<String, List<Integer>> lists = lists(workload.maxRows());
    List<Integer> wanted = lists.values().stream().flatMap(List::stream).distinct().toList();
    TunerLimits limits = options.limits();
    int mostTheirs = lists.values().stream().mapToInt(List::size).max().orElse(0);
    boolean limited = limits.bytes() != Long.MAX_VALUE;

    long start = System.nanoTime();
    int graphs = limited ? limits.graphs() : Math.max(limits.graphs(), mostTheirs);
    TunedBuckets tuned =
        new BucketTuner(costs.costs(), withGraphs(limits, graphs, limits.bytes()), wanted)
            .tune(workload.steps());
    double seconds = (System.nanoTime() - start) / 1e9;
    // Lists have no limit on bytes, and a fair comparison leaves it away.
    TunedBuckets unlimited =
        limited
            ? new BucketTuner(
                    costs.costs(),
                    withGraphs(limits, Math.max(limits.graphs(), mostTheirs), Long.MAX_VALUE),
                    wanted)
                .tune(workload.steps())
            : tuned;

    BucketSet set = tuned.withAtMost(limits.graphs()).set().withSplits(costs.costs()::splits);
    Optional<Explanation> explanation =
        options
            .explain()
            .map(bucket -> Explanation.of(bucket, set, workload.steps(), costs.costs()));
    BucketEvaluator evaluator = new BucketEvaluator(workload.steps(), costs.costs());
    return new Tuning(
        new TuneReport(
            workload,
            costs,
            limits,
            set,
            evaluator.evaluate(set),
            comparisons(lists, unlimited, workload.maxContext(), evaluator),
            unlimited.choices().stream()
                .map(choice -> TuneReport.Point.of(choice, workload.steps().steps()))
                .toList(),
            explanation,
            seconds));
  }

  private static TunerLimits withGraphs(TunerLimits limits, int graphs, long bytes) {
    return new TunerLimits(graphs, bytes, limits.contextStep(), limits.captureWeight());
  }

  private static Map<String, List<Integer>> lists(int maxRows) {
    Map<String, List<Integer>> lists = new LinkedHashMap<>();
    lists.put("vLLM", BucketSizes.vllm(maxRows));
    lists.put("SGLang", BucketSizes.sglang(maxRows));
    lists.put("TensorRT-LLM", BucketSizes.tensorRtLlm(maxRows));
    lists.put("powers of two", BucketSizes.powersOfTwo(maxRows));
    return lists;
  }

  private static List<TuneReport.Comparison> comparisons(
      Map<String, List<Integer>> lists,
      TunedBuckets tuned,
      int maxContext,
      BucketEvaluator evaluator) {
    List<TuneReport.Comparison> comparisons = new ArrayList<>();
    lists.forEach((name, rows) -> {
      BucketSet theirs = BucketSet.of(rows, List.of(maxContext));
      BucketSet ours = tuned.withAtMost(rows.size()).set();
      comparisons.add(
          new TuneReport.Comparison(name, evaluator.evaluate(theirs), evaluator.evaluate(ours)));
    });
    return comparisons;
  }

  /**
   * Checks a value of {@code --costs} as far as no file must be read.
   *
   * @throws IllegalArgumentException if it assumes what is not known
   */
  public static void checkCosts(String costs) {
    if (costs.startsWith(CostSource.ASSUME)) {
      CostSource.of(costs);
    }
  }

  /** For people: lines without line ends. */
  public List<String> lines() {
    return TuneText.lines(report);
  }

  /** For programs: one JSON object on one line. */
  public String json() {
    return TuneJson.line(report);
  }

  /**
   * Writes the set with its evidence.
   *
   * @param tool the program with its version
   * @throws java.io.UncheckedIOException if the file cannot be written
   */
  public void write(Path file, String tool, Instant now) {
    TunerLimits limits = report.limits();
    BucketEvaluation tuned = report.tuned();
    BucketEvidence evidence =
        new BucketEvidence(
            now,
            tool,
            new BucketEvidence.Workload(
                report.workload().source(),
                report.workload().steps().steps(),
                report.workload().steps().maxRows(),
                report.workload().steps().maxPositions()),
            report.costs().facts(),
            new BucketEvidence.Limits(
                limits.graphs(),
                limits.bytes() == Long.MAX_VALUE
                    ? OptionalLong.empty()
                    : OptionalLong.of(limits.bytes()),
                limits.contextStep(),
                limits.captureWeight()),
            new BucketEvidence.Expected(
                tuned.meanStepMicros(),
                tuned.paddingShare(),
                TuneText.eagerShare(tuned),
                tuned.captureMillis(),
                tuned.bytes()));
    new BucketFile(report.set(), Optional.of(evidence)).write(file);
  }

  /**
   * Draws expected step time against graphs.
   *
   * @param file ends in .svg or .png
   * @throws java.io.UncheckedIOException if the file cannot be written
   */
  public void plot(Path file) {
    TunePlot.write(report, file);
  }
}
