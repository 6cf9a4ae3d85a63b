package dev.reprise.benchmarks.compare;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What was measured, as tables in Markdown. */
final class Results {

  /** Bytes per operation that the profiler's own objects, a few kB an iteration, may come to. */
  private static final double NOISE_BYTES = 0.5;

  private record Measured(Samples times, Samples bytes) {}

  private final Map<Arm, Measured> arms = new LinkedHashMap<>();

  void add(Arm arm, Arm.Run run) {
    Measured measured = arms.computeIfAbsent(arm, a -> new Measured(new Samples(), new Samples()));
    measured.times().add(run.times());
    measured.bytes().add(run.bytes());
  }

  /** A table for each operation that was measured. */
  String markdown() {
    Map<Operation, StringBuilder> tables = new TreeMap<>();
    arms.forEach((arm, measured) ->
        tables
            .computeIfAbsent(arm.operation(), Results::head)
            .append(arm.operation().isStart() ? start(arm, measured) : call(arm, measured)));
    return String.join("\n", tables.values());
  }

  private static StringBuilder head(Operation operation) {
    return new StringBuilder(
        text(
            "### %s\n\n| on %s | median, %s | 95 %% interval | %s |\n|---|---:|---:|---:|%s\n",
            operation.title,
            operation.driver == Operation.Driver.STUB ? "the stub" : "NVIDIA's library",
            operation.isStart() ? "ms" : "ns",
            operation.isStart() ? "least and most" : "over C | bytes allocated",
            operation.isStart() ? "" : "---:|"));
  }

  private static String start(Arm arm, Measured measured) {
    Samples.Estimate time = measured.times().estimate();
    double[] sorted = measured.times().sorted();
    return text(
        "| %s | %.0f | %.0f to %.0f | %.0f to %.0f |\n",
        arm.name(), time.median(), time.low(), time.high(), sorted[0], sorted[sorted.length - 1]);
  }

  private String call(Arm arm, Measured measured) {
    Samples.Estimate time = measured.times().estimate();
    return text(
        "| %s | %.1f | %.1f to %.1f | %s | %s |\n",
        arm.name(),
        time.median(),
        time.low(),
        time.high(),
        arm.isBaseline() ? "" : overBaseline(arm, time),
        measured.bytes().isEmpty() ? "" : bytes(measured.bytes().estimate().median()));
  }

  private String overBaseline(Arm arm, Samples.Estimate time) {
    for (Map.Entry<Arm, Measured> other : arms.entrySet()) {
      if (other.getKey().isBaseline()
          && other.getKey().operation() == arm.operation()
          && other.getKey().calls().equals(arm.calls())) {
        return text("%+.1f", time.median() - other.getValue().times().estimate().median());
      }
    }
    return "";
  }

  private static String bytes(double median) {
    return median < NOISE_BYTES ? text("0 (%.3f)", median) : text("%.1f", median);
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
