package dev.reprise.cli.gpucheck;

import dev.reprise.cli.measure.Numbers;
import dev.reprise.cli.measure.OpenModel;
import dev.reprise.cli.measure.Table;
import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.SamplingParameters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Greedy tokens and logits of the embedded model against the golden ones, eager and replayed. */
final class GoldenSection implements Section {

  /** Logits of this model are up to 28 in size; f32 arithmetic moves them by less than this. */
  private static final double LOGIT_TOLERANCE = 1e-4;

  @Override
  public String key() {
    return "golden";
  }

  @Override
  public String title() {
    return "Golden tokens";
  }

  @Override
  public boolean timed() {
    return false;
  }

  @Override
  public void run(CheckPlan plan, SectionLog log) {
    log.fact("logit_tolerance", "largest error of a logit allowed", LOGIT_TOLERANCE);
    Table table =
        log.table(
            "cases",
            "Cases",
            Table.column("prompt", "prompt"),
            Table.column("mode", "mode"),
            Table.column("tokens", "tokens"),
            Table.column("equal", "equal"),
            Table.column("max_logit_error", "max. error of a logit"));
    try (OpenModel tiny = OpenModel.embedded()) {
      for (boolean eager : new boolean[] {false, true}) {
        String mode = eager ? "eager" : "replayed";
        long steps;
        try (DecodeLoop loop = tiny.loop(tiny.options().withEager(eager))) {
          for (GoldenCase golden : GoldenCase.all()) {
            check(golden, loop, mode, plan.tokens(), table, log);
          }
          steps = eager ? loop.statistics().eagerSteps() : loop.statistics().replays();
          long others = eager ? loop.statistics().replays() : loop.statistics().eagerSteps();
          log.check(
              "all steps were " + mode,
              others == 0 && loop.statistics().captureFailures().isEmpty(),
              "%d were, %d were not, captures failed: %s"
                  .formatted(steps, others, loop.statistics().captureFailures()));
        }
        log.headline("%d %s steps".formatted(steps, mode));
      }
    }
  }

  private static void check(
      GoldenCase golden, DecodeLoop loop, String mode, int most, Table table, SectionLog log) {
    int count = Math.min(most, golden.continuation().length);
    List<Integer> tokens = new ArrayList<>();
    double[] error = new double[1];
    loop.generate(
        golden.promptIds(),
        SamplingParameters.greedy(),
        count,
        Set.of(),
        token -> {
          if (agrees(golden, tokens)) {
            float[] logits = loop.logits(0);
            for (GoldenCase.Logit wanted : golden.top5().get(tokens.size())) {
              double difference = Math.abs(logits[wanted.token()] - wanted.value());
              error[0] =
                  Double.isNaN(difference)
                      ? Double.POSITIVE_INFINITY
                      : Math.max(error[0], difference);
            }
          }
          tokens.add(token);
          return true;
        });
    int[] found = tokens.stream().mapToInt(Integer::intValue).toArray();
    int different = Arrays.mismatch(found, Arrays.copyOf(golden.continuation(), count));
    boolean equal = different < 0;
    table.add(golden.label(), mode, found.length, equal, error[0]);
    log.check(
        "%s, %s".formatted(golden.label(), mode),
        equal && error[0] <= LOGIT_TOLERANCE,
        equal
            ? "largest error of a logit " + Numbers.text(error[0])
            : "tokens differ from step " + different + " on");
  }

  /** Logits can be compared only while the tokens before them are the golden ones. */
  private static boolean agrees(GoldenCase golden, List<Integer> tokens) {
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.get(i) != golden.continuation()[i]) {
        return false;
      }
    }
    return true;
  }
}
