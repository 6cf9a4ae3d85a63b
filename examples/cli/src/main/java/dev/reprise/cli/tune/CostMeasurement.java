package dev.reprise.cli.tune;

import dev.reprise.bindings.DriverLibrary;
import dev.reprise.cli.measure.BucketTimes;
import dev.reprise.cli.measure.KernelChoices;
import dev.reprise.cli.measure.MachineFacts;
import dev.reprise.cli.measure.OpenModel;
import dev.reprise.cli.measure.Progress;
import dev.reprise.cli.measure.StepArm;
import dev.reprise.cli.measure.StepBench;
import dev.reprise.graph.autotune.AutotuneReport;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.tune.CostFile;
import dev.reprise.graph.tune.CostTable;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Measures a cost table on the device at hand. */
public final class CostMeasurement {

  private static final int PASSES = 3;
  private static final double MILLIS = 1e3;

  /**
   * What is measured: every pairing of rows and contexts.
   *
   * @param driver the value of {@code --driver}
   * @param model a GGUF file; the embedded model if empty
   * @param rows row counts
   * @param contexts contexts; empty for a sixteenth, a quarter and all of what the model has
   * @param rounds rounds of each of three passes
   * @param kernels where choices of kernel variants are kept; empty to run the standard ones
   */
  public record Plan(
      Optional<String> driver,
      Optional<Path> model,
      List<Integer> rows,
      List<Integer> contexts,
      int rounds,
      Optional<Path> kernels) {}

  /**
   * What was measured.
   *
   * @param costs the table
   * @param variants the kernel variants that were chosen before; empty for the standard ones
   */
  public record Measured(CostFile costs, Optional<AutotuneReport> variants) {}

  private CostMeasurement() {}

  /**
   * Measures.
   *
   * @param tool the program with its version, for the method
   */
  public static Measured run(Plan plan, String tool, Progress progress) {
    plan.driver.ifPresent(DriverLibrary::use);
    double loadBefore = MachineFacts.load();
    try (OpenModel model = OpenModel.open(plan.model)) {
      List<Integer> contexts =
          plan.contexts.isEmpty() ? contexts(model.model().info().maxContext()) : plan.contexts;
      BucketSet buckets = BucketSet.of(plan.rows, contexts);
      Optional<AutotuneReport> variants =
          plan.kernels.map(folder -> KernelChoices.warmUp(model, buckets, folder));
      progress.begin(
          "%d shapes, %d passes of %d rounds"
              .formatted(buckets.largestFirst().size(), PASSES, plan.rounds),
          PASSES * plan.rounds + 2);
      List<BucketTimes> times =
          StepBench.run(
              model,
              buckets,
              EnumSet.of(StepArm.REPLAY_START, StepArm.REPLAY_END, StepArm.EAGER_END),
              PASSES,
              round -> round < plan.rounds,
              progress);
      MachineFacts machine = MachineFacts.of(model.device());
      CostFile costs =
          new CostFile(
              machine.device(),
              machine.driver(),
              machine.softwareDevice(),
              model.model().info().name(),
              ("%s --measure: medians of %d passes of %d rounds, all shapes in turns, %s kernel"
                      + " variants; %s")
                  .formatted(
                      tool,
                      PASSES,
                      plan.rounds,
                      variants.isPresent() ? "chosen" : "standard",
                      machine.host(loadBefore, MachineFacts.load())),
              true,
              new CostTable(
                  times.stream()
                      .map(t -> sample(t, model.model().attentionSplits(t.bucket())))
                      .toList()));
      return new Measured(costs, variants);
    }
  }

  private static List<Integer> contexts(int longest) {
    TreeSet<Integer> contexts = new TreeSet<>();
    for (int context = longest; contexts.size() < 3 && context >= StepBench.LEAST_CONTEXT; ) {
      contexts.add(context);
      context /= 4;
    }
    return List.copyOf(contexts);
  }

  private static CostTable.Sample sample(BucketTimes times, int splits) {
    double start = times.steps(StepArm.REPLAY_START).median();
    return new CostTable.Sample(
        times.bucket().rows(),
        times.bucket().context(),
        start,
        Math.max(0, times.steps(StepArm.REPLAY_END).median() - start),
        times.steps(StepArm.EAGER_END).median(),
        times.makingMicros() / MILLIS,
        times.deviceBytes(),
        splits);
  }
}
