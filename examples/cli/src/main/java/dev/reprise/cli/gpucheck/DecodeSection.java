package dev.reprise.cli.gpucheck;

import dev.reprise.cli.measure.Numbers;
import dev.reprise.cli.measure.OpenModel;
import dev.reprise.cli.measure.Sample;
import dev.reprise.cli.measure.Summary;
import dev.reprise.cli.measure.Table;
import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.Generation;
import dev.reprise.graph.decode.SamplingParameters;
import java.util.Arrays;
import java.util.Set;

/** Tokens a second of one sequence, eager and replayed in turns. */
final class DecodeSection implements Section {

  private static final double MICROS = 1e3;
  private static final double SECONDS = 1e9;
  private static final int LEAST_ROUNDS = 3;
  private static final int MOST_ROUNDS = 400;

  @Override
  public String key() {
    return "decode";
  }

  @Override
  public String title() {
    return "Decoding one sequence";
  }

  @Override
  public boolean timed() {
    return true;
  }

  @Override
  public void run(CheckPlan plan, SectionLog log) {
    int[] prompt = GoldenCase.all().getFirst().promptIds();
    try (OpenModel tiny = OpenModel.embedded();
        DecodeLoop replayedLoop = tiny.loop(tiny.options());
        DecodeLoop eagerLoop = tiny.loop(tiny.options().withEager(true))) {
      Arm replayed = new Arm("replayed", replayedLoop, prompt, plan.tokens());
      Arm eager = new Arm("eager", eagerLoop, prompt, plan.tokens());
      // The first replayed generation captures; the JVM compiles the path of a step meanwhile.
      CheckPlan.Deadline warm = plan.deadline(0.05);
      do {
        replayed.generate(false);
        eager.generate(false);
      } while (!warm.passed());
      Sample ratio = new Sample();
      boolean equal = true;
      CheckPlan.Deadline deadline = plan.deadline(0.35);
      for (int round = 0;
          round < MOST_ROUNDS && (round < LEAST_ROUNDS || !deadline.passed());
          round++) {
        Arm first = round % 2 == 0 ? replayed : eager;
        Arm second = first == replayed ? eager : replayed;
        first.generate(true);
        second.generate(true);
        ratio.add(replayed.lastRate / eager.lastRate);
        equal &= Arrays.equals(replayed.lastTokens, eager.lastTokens);
      }
      log.check(
          "tokens are equal in every round", equal, "the last: " + replayed.lastTokens.length);
      log.check(
          "replayed steps were replayed",
          replayedLoop.statistics().eagerSteps() == 0,
          replayedLoop.statistics().eagerSteps() + " eager steps");
      report(log, replayed, eager, ratio.summary());
    }
  }

  private static void report(SectionLog log, Arm replayed, Arm eager, Summary ratio) {
    Table rates =
        log.table(
            "generations",
            "Tokens a second of a generation, prefill and captures apart",
            Table.column("mode", "mode"),
            Table.column("generations", "generations"),
            Table.column("tokens", "tokens each"),
            Table.column("median_tokens_per_s", "median"),
            Table.column("low_tokens_per_s", "["),
            Table.column("high_tokens_per_s", "]"),
            Table.column("p10_tokens_per_s", "p10"),
            Table.column("p90_tokens_per_s", "p90"),
            Table.column("prefill_median_us", "prefill, median µs"));
    Table tokens =
        log.table(
            "tokens",
            "Time from token to token, µs",
            Table.column("mode", "mode"),
            Table.column("steps", "steps"),
            Table.column("median_us", "median"),
            Table.column("p10_us", "p10"),
            Table.column("p90_us", "p90"),
            Table.column("p99_us", "p99"));
    for (Arm arm : new Arm[] {replayed, eager}) {
      Summary rate = arm.rate.summary();
      rates.add(
          arm.mode,
          rate.count(),
          arm.tokens,
          rate.median(),
          rate.low(),
          rate.high(),
          rate.p10(),
          rate.p90(),
          arm.prefill.summary().median());
      Summary step = arm.step.summary();
      tokens.add(arm.mode, step.count(), step.median(), step.p10(), step.p90(), step.p99());
      log.headline("%s: %s tokens/s".formatted(arm.mode, Numbers.text(rate)));
    }
    log.fact("speedup_median", "replayed over eager, median of the rounds", ratio.median());
    log.fact("speedup_low", "lower end of its 95% interval", ratio.low());
    log.fact("speedup_high", "upper end of its 95% interval", ratio.high());
    log.headline("replayed over eager: " + Numbers.text(ratio));
  }

  /** One way to decode. */
  private static final class Arm {

    private final String mode;
    private final DecodeLoop loop;
    private final int[] prompt;
    private final int tokens;
    private final Sample rate = new Sample();
    private final Sample prefill = new Sample();
    private final Sample step = new Sample();
    private int[] lastTokens = {};
    private double lastRate;

    Arm(String mode, DecodeLoop loop, int[] prompt, int tokens) {
      this.mode = mode;
      this.loop = loop;
      this.prompt = prompt;
      this.tokens = tokens;
    }

    void generate(boolean measured) {
      long[] times = new long[tokens];
      int[] count = new int[1];
      Generation generation =
          loop.generate(
              prompt,
              SamplingParameters.greedy(),
              tokens,
              Set.of(),
              token -> {
                times[count[0]++] = System.nanoTime();
                return true;
              });
      lastTokens = generation.tokens();
      lastRate = generation.decodeSteps() / (generation.decodeNanos() / SECONDS);
      if (measured) {
        rate.add(lastRate);
        prefill.add(generation.prefillNanos() / MICROS);
        for (int i = 1; i < count[0]; i++) {
          step.add((times[i] - times[i - 1]) / MICROS);
        }
      }
    }
  }
}
