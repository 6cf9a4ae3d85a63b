package dev.reprise.benchmarks.compare;

import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A JMH benchmark, one fork at a time.
 *
 * @param benchmark its class and method
 */
record JmhArm(Operation operation, String name, String calls, String benchmark) implements Arm {

  private static final String ALLOCATED = "gc.alloc.rate.norm";

  @Override
  public Run run(Plan plan) {
    OptionsBuilder options = new OptionsBuilder();
    options
        .include("^" + Pattern.quote(benchmark) + "$")
        .forks(1)
        .warmupIterations(plan.warmups())
        .warmupTime(TimeValue.milliseconds(Plan.WARMUP_MILLISECONDS))
        .measurementIterations(plan.iterations())
        .measurementTime(TimeValue.milliseconds(plan.milliseconds()))
        .addProfiler(GCProfiler.class)
        .jvmArgs(plan.jvmOptions(operation.driver).toArray(String[]::new))
        .shouldFailOnError(true)
        .verbosity(VerboseMode.SILENT);
    Collection<RunResult> results;
    try {
      results = new Runner(options.build()).run();
    } catch (RunnerException e) {
      throw new IllegalStateException(
          benchmark + " failed; run it by itself with org.openjdk.jmh.Main to see why", e);
    }
    List<IterationResult> iterations =
        results.stream()
            .flatMap(run -> run.getBenchmarkResults().stream())
            .flatMap(result -> result.getIterationResults().stream())
            .toList();
    if (iterations.size() != plan.iterations()) {
      throw new IllegalStateException(
          "%s gave %d iterations instead of %d"
              .formatted(benchmark, iterations.size(), plan.iterations()));
    }
    return new Run(
        iterations.stream().mapToDouble(i -> i.getPrimaryResult().getScore()).toArray(),
        iterations.stream().mapToDouble(JmhArm::allocated).toArray());
  }

  private static double allocated(IterationResult iteration) {
    Result<?> result = iteration.getSecondaryResults().get(ALLOCATED);
    if (result == null) {
      throw new IllegalStateException("JMH's gc profiler gives no " + ALLOCATED);
    }
    return result.getScore();
  }
}
