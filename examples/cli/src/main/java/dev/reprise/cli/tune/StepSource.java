package dev.reprise.cli.tune;

import dev.reprise.graph.tune.Arrival;
import dev.reprise.graph.tune.BatchingSimulator;
import dev.reprise.graph.tune.StepCosts;
import dev.reprise.graph.tune.StepHistogram;
import dev.reprise.graph.tune.TraceFile;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/**
 * The steps to tune for.
 *
 * @param source where they come from, in words
 * @param steps the steps
 * @param maxRows the most rows that a set must serve
 * @param maxContext the longest context that a set must serve
 * @param cutRequests requests that ended at the longest context before they had their tokens
 */
record StepSource(
    String source, StepHistogram steps, int maxRows, int maxContext, long cutRequests) {

  private static final int MAX_ROWS = 256;
  private static final int MAX_CONTEXT = 8192;

  /**
   * Reads or makes the steps.
   *
   * @throws IllegalArgumentException if a trace is not valid, or has larger steps than is allowed
   */
  static StepSource of(TuneOptions options, StepCosts costs) {
    return switch (options.workload()) {
      case TuneOptions.Trace trace ->
          switch (TraceFile.read(trace.file())) {
            case TraceFile.Requests requests ->
                simulated(
                    options,
                    costs,
                    "%s: %d requests".formatted(trace.file(), requests.arrivals().size()),
                    requests.arrivals(),
                    trace.prefillMicros());
            case TraceFile.Steps steps ->
                recorded(options, trace.file().toString(), steps.histogram());
          };
      case TuneOptions.Synthetic made ->
          simulated(
              options,
              costs,
              String.format(
                  Locale.ROOT,
                  "synthetic %s: %d requests, %s a second, prompts of %d, outputs of %d, seed %d",
                  made.kind().label(),
                  made.requests(),
                  number(made.rate()),
                  made.prompt(),
                  made.output(),
                  made.seed()),
              made.kind()
                  .arrivals(
                      made.seed(), made.requests(), made.rate(), made.prompt(), made.output()),
              made.prefillMicros());
    };
  }

  private static String number(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }

  private static StepSource simulated(
      TuneOptions options,
      StepCosts costs,
      String source,
      List<Arrival> arrivals,
      double prefillMicros) {
    int rows = options.maxRows().orElse(MAX_ROWS);
    int context = options.maxContext().orElse(MAX_CONTEXT);
    long cut =
        arrivals.stream().filter(a -> (long) a.promptTokens() + a.outputTokens() > context).count();
    StepHistogram steps = new BatchingSimulator(costs, rows, context, prefillMicros).run(arrivals);
    return new StepSource(source, steps, rows, context, cut);
  }

  private static StepSource recorded(TuneOptions options, String file, StepHistogram steps) {
    return new StepSource(
        file + ": recorded steps",
        steps,
        limit("--max-rows", options.maxRows(), steps.maxRows(), "rows"),
        limit("--max-context", options.maxContext(), steps.maxPositions(), "positions"),
        0);
  }

  private static int limit(String flag, OptionalInt wanted, int largest, String what) {
    if (wanted.isPresent() && wanted.getAsInt() < largest) {
      throw new IllegalArgumentException(
          "the trace has a step of %d %s; %s must be at least that, and is %d"
              .formatted(largest, what, flag, wanted.getAsInt()));
    }
    return wanted.orElse(largest);
  }
}
