package dev.reprise.cli.bench;

import dev.reprise.cli.measure.KernelChoices;
import dev.reprise.cli.measure.Numbers;
import dev.reprise.cli.measure.OpenModel;
import dev.reprise.cli.measure.Progress;
import dev.reprise.cli.measure.Summary;
import dev.reprise.cli.measure.Table;
import dev.reprise.graph.autotune.AutotuneReport;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.decode.DecodeMetrics;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.FinishReason;
import dev.reprise.graph.decode.ModelInfo;
import dev.reprise.graph.host.Completion;
import dev.reprise.graph.host.DecodeHost;
import dev.reprise.graph.host.Request;
import dev.reprise.graph.host.RequestHandle;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;

/** Tokens a second and latencies of requests that run together, all arms in turns. */
public final class DecodeBench {

  private static final int PREFILL_ROWS = 32;

  /**
   * What is measured: every pairing of rows, prompts and outputs.
   *
   * @param driver the value of {@code --driver}
   * @param model a GGUF file; the embedded model if empty
   * @param rows requests that run together
   * @param prompts tokens of each prompt
   * @param outputs tokens that each request generates
   * @param repetitions how often each is measured
   * @param arms the ways to decode
   * @param seed of the prompts
   * @param kernels where choices of kernel variants are kept; empty to run the standard ones
   */
  public record Plan(
      Optional<String> driver,
      Optional<Path> model,
      List<Integer> rows,
      List<Integer> prompts,
      List<Integer> outputs,
      int repetitions,
      List<DecodeArm> arms,
      long seed,
      Optional<Path> kernels) {}

  private record Test(int rows, int prompt, int output) {
    @Override
    public String toString() {
      return "%d x (%d + %d)".formatted(rows, prompt, output);
    }
  }

  private final Plan plan;
  private final Progress progress;
  private final List<Test> tests = new ArrayList<>();

  private DecodeBench(Plan plan, Progress progress) {
    this.plan = plan;
    this.progress = progress;
    for (int prompt : plan.prompts) {
      for (int output : plan.outputs) {
        for (int rows : plan.rows) {
          tests.add(new Test(rows, prompt, output));
        }
      }
    }
  }

  /**
   * Measures.
   *
   * @param version of Reprise
   * @param clock gives the date
   * @throws IllegalArgumentException if a test does not fit the model's context
   * @throws IllegalStateException if a request fails, or arms generate different tokens
   */
  public static BenchReport run(Plan plan, String version, Clock clock, Progress progress) {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("rows", plan.rows.toString());
    settings.put("prompt_tokens", plan.prompts.toString());
    settings.put("output_tokens", plan.outputs.toString());
    settings.put("repetitions", plan.repetitions);
    settings.put("arms", plan.arms.stream().map(DecodeArm::label).toList().toString());
    settings.put("seed", plan.seed);
    return BenchRun.run(
        "decode",
        version,
        clock,
        plan.driver,
        plan.model,
        settings,
        new DecodeBench(plan, progress)::measure);
  }

  private BenchRun.Findings measure(OpenModel model) {
    DecodeOptions decode = options(model.model().info());
    Optional<AutotuneReport> variants =
        plan.kernels.map(folder -> KernelChoices.warmUp(model, decode, folder));
    progress.begin("decoding", tests.size() * (plan.repetitions + 1));
    List<Lane> lanes = new ArrayList<>();
    try {
      for (DecodeArm arm : plan.arms) {
        lanes.add(new Lane(arm, model, decode));
      }
      Random random = new Random(plan.seed);
      for (Test test : tests) {
        for (int repetition = -1; repetition < plan.repetitions; repetition++) {
          List<Request> requests = requests(test, model.model().info(), random);
          turn(lanes, test, requests, repetition);
          progress.step();
        }
        lanes.forEach(lane -> lane.done(test));
      }
      List<String> headlines = headlines(lanes);
      List<Table> tables = new ArrayList<>(List.of(table(lanes)));
      variants.ifPresent(chosen -> {
        headlines.addAll(KernelChoices.headlines(chosen));
        tables.add(KernelChoices.table(chosen));
      });
      return new BenchRun.Findings(headlines, tables);
    } finally {
      lanes.forEach(Lane::close);
    }
  }

  private DecodeOptions options(ModelInfo model) {
    int longest = 0;
    for (Test test : tests) {
      // The last token is sampled at the last position and has none itself; a prompt alone leaves
      // room for one more.
      int positions = test.prompt + Math.max(1, test.output - 1);
      if (positions > model.maxContext()) {
        throw new IllegalArgumentException(
            "-p %d with -n %d needs %d positions; %s has %d, so ask for fewer"
                .formatted(test.prompt, test.output, positions, model.name(), model.maxContext()));
      }
      longest = Math.max(longest, positions);
    }
    BucketSet buckets = BucketSet.of(plan.rows, List.of(longest));
    int blocks = buckets.maxRows() * (model.kv().blocksFor(longest) + 1) + 1;
    return new DecodeOptions(buckets, Math.min(PREFILL_ROWS, longest), blocks, false);
  }

  /** Prompts of random tokens, which share no beginning. */
  private static List<Request> requests(Test test, ModelInfo model, Random random) {
    List<Request> requests = new ArrayList<>();
    for (int row = 0; row < test.rows; row++) {
      int[] prompt = random.ints(test.prompt, 0, model.vocabulary()).toArray();
      requests.add(Request.greedy(prompt, test.output));
    }
    return requests;
  }

  /** One repetition in every arm, another first each time; −1 warms up and is not counted. */
  private static void turn(List<Lane> lanes, Test test, List<Request> requests, int repetition) {
    List<int[][]> tokens = new ArrayList<>();
    for (int i = 0; i < lanes.size(); i++) {
      Lane lane = lanes.get(Math.floorMod(i + repetition, lanes.size()));
      tokens.add(lane.run(test, requests, repetition >= 0));
      if (!Arrays.deepEquals(tokens.getFirst(), tokens.getLast())) {
        throw new IllegalStateException(
            "%s steps of %s give other tokens than others; times of wrong tokens mean nothing"
                .formatted(lane.arm.label(), test));
      }
    }
  }

  private List<String> headlines(List<Lane> lanes) {
    List<String> lines = new ArrayList<>();
    for (Test test : tests) {
      for (Lane lane : lanes) {
        lines.add(
            "%s, %s: %s tokens/s"
                .formatted(
                    test, lane.arm.label(), Numbers.text(lane.times(test).outputRate().summary())));
      }
    }
    return lines;
  }

  private Table table(List<Lane> lanes) {
    Table table =
        new Table(
            "decode",
            "Requests that run together. Output tokens/s: all tokens from the submission to the"
                + " end, prompts included; decode tokens/s: those after each request's first;"
                + " medians of the repetitions with 95% intervals. TTFT: submission to first token;"
                + " ITL: token to token. Steps: with those of a repetition to warm up",
            Table.column("rows", "rows"),
            Table.column("prompt_tokens", "prompt"),
            Table.column("output_tokens", "output"),
            Table.column("mode", "mode"),
            Table.column("repetitions", "r"),
            Table.column("output_tokens_per_s", "output tokens/s"),
            Table.column("output_low_tokens_per_s", "["),
            Table.column("output_high_tokens_per_s", "]"),
            Table.column("decode_tokens_per_s", "decode tokens/s"),
            Table.column("decode_low_tokens_per_s", "["),
            Table.column("decode_high_tokens_per_s", "]"),
            Table.column("ttft_p50_us", "TTFT p50, µs"),
            Table.column("ttft_p90_us", "p90"),
            Table.column("ttft_p99_us", "p99"),
            Table.column("itl_p50_us", "ITL p50, µs"),
            Table.column("itl_p90_us", "p90"),
            Table.column("itl_p99_us", "p99"),
            Table.column("replayed_steps", "replayed steps"),
            Table.column("eager_steps", "eager steps"));
    for (Test test : tests) {
      for (Lane lane : lanes) {
        row(table, test, lane);
      }
    }
    return table;
  }

  private static void row(Table table, Test test, Lane lane) {
    DecodeTimes times = lane.times(test);
    Summary output = times.outputRate().summary();
    Summary first = times.firstToken().summary();
    Summary none =
        new Summary(0, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
    Summary decode = times.hasGaps() ? times.decodeRate().summary() : none;
    Summary gap = times.hasGaps() ? times.betweenTokens().summary() : none;
    Steps steps = lane.steps(test);
    table.add(
        test.rows,
        test.prompt,
        test.output,
        lane.arm.label(),
        output.count(),
        output.median(),
        output.low(),
        output.high(),
        decode.median(),
        decode.low(),
        decode.high(),
        first.median(),
        first.p90(),
        first.p99(),
        gap.median(),
        gap.p90(),
        gap.p99(),
        steps.replayed,
        steps.eager);
  }

  /** Decode steps of a host. */
  private record Steps(long replayed, long eager) {

    static Steps of(DecodeMetrics metrics) {
      return new Steps(metrics.steps().replays(), metrics.steps().eagerSteps());
    }

    Steps minus(Steps before) {
      return new Steps(replayed - before.replayed, eager - before.eager);
    }
  }

  /** A host of one arm, with what was measured on it. */
  private static final class Lane {

    private final DecodeArm arm;
    private final DecodeHost host;
    private final Map<Test, DecodeTimes> times = new LinkedHashMap<>();
    private final Map<Test, Steps> steps = new LinkedHashMap<>();
    private Steps before;

    Lane(DecodeArm arm, OpenModel model, DecodeOptions decode) {
      this.arm = arm;
      this.host =
          DecodeHost.start(
              model.device(), model.model(), arm.options(decode, decode.buckets().maxRows()));
      if (!arm.eager()) {
        int captured = host.warmUp();
        int wanted = decode.buckets().largestFirst().size();
        if (captured != wanted) {
          host.close();
          throw new IllegalStateException(
              "%d of %d buckets are captured; the failures are in the log"
                  .formatted(captured, wanted));
        }
      }
      this.before = Steps.of(host.metrics());
    }

    /** Runs the requests together; their tokens. */
    int[][] run(Test test, List<Request> requests, boolean measured) {
      DecodeTimes into = times.computeIfAbsent(test, key -> new DecodeTimes());
      long start = System.nanoTime();
      List<RequestHandle> handles = requests.stream().map(host::submit).toList();
      List<Completion> ends = handles.stream().map(Lane::await).toList();
      long wall = System.nanoTime() - start;
      for (Completion end : ends) {
        if (end.reason() != FinishReason.LENGTH || end.tokens().length != test.output) {
          throw new IllegalStateException(
              "a request of %s ended as %s after %d tokens%s"
                  .formatted(
                      test,
                      end.reason(),
                      end.tokens().length,
                      end.failure().map(f -> ": " + f.getMessage()).orElse("")));
        }
      }
      if (measured) {
        into.add(wall, ends.stream().map(Completion::timings).toList());
      }
      return ends.stream().map(Completion::tokens).toArray(int[][]::new);
    }

    private static Completion await(RequestHandle handle) {
      try {
        return handle.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while requests run", e);
      }
    }

    /** Takes down the steps of a test, warm-up included. */
    void done(Test test) {
      Steps now = Steps.of(host.metrics());
      steps.put(test, now.minus(before));
      before = now;
    }

    DecodeTimes times(Test test) {
      return Objects.requireNonNull(times.get(test));
    }

    Steps steps(Test test) {
      return Objects.requireNonNull(steps.get(test));
    }

    void close() {
      host.close();
    }
  }
}
