package dev.reprise.cli.gpucheck;

import dev.reprise.cli.measure.OpenModel;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.SamplingParameters;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Sampled tokens do not depend on whether steps are replayed, nor on the bucket. */
final class SampledSection implements Section {

  private static final int SEEDS = 3;

  @Override
  public String key() {
    return "sampled";
  }

  @Override
  public String title() {
    return "Sampled tokens";
  }

  @Override
  public boolean timed() {
    return false;
  }

  @Override
  public void run(CheckPlan plan, SectionLog log) {
    int[] prompt = GoldenCase.all().getFirst().promptIds();
    try (OpenModel tiny = OpenModel.embedded()) {
      DecodeOptions options = tiny.options();
      int context = options.buckets().maxContext();
      DecodeOptions wide = options.withBuckets(BucketSet.of(List.of(4), List.of(context)));
      int[][] replayed = tokens(tiny, options, prompt, plan.tokens());
      int[][] eager = tokens(tiny, options.withEager(true), prompt, plan.tokens());
      int[][] padded = tokens(tiny, wide, prompt, plan.tokens());
      for (int i = 0; i < SEEDS; i++) {
        compare(log, "seed %d, replayed as eager".formatted(seed(i)), replayed[i], eager[i]);
        compare(log, "seed %d, in a bucket of 4 rows".formatted(seed(i)), padded[i], eager[i]);
      }
      long different = Arrays.stream(eager).map(Arrays::toString).distinct().count();
      log.check("seeds give different tokens", different > 1, different + " of " + SEEDS);
      log.headline("%d tokens for each of %d seeds".formatted(plan.tokens(), SEEDS));
    }
  }

  private static long seed(int index) {
    return CheckPlan.SEED + index;
  }

  private static int[][] tokens(OpenModel tiny, DecodeOptions options, int[] prompt, int count) {
    int[][] tokens = new int[SEEDS][];
    try (DecodeLoop loop = tiny.loop(options)) {
      for (int i = 0; i < SEEDS; i++) {
        SamplingParameters sampling = new SamplingParameters(1.2f, 60, 0.98f, 0.001f, seed(i));
        tokens[i] = loop.generate(prompt, sampling, count, Set.of(), token -> true).tokens();
      }
    }
    return tokens;
  }

  private static void compare(SectionLog log, String name, int[] found, int[] wanted) {
    int different = Arrays.mismatch(found, wanted);
    log.check(
        name,
        different < 0,
        different < 0 ? found.length + " tokens" : "differ from token " + different + " on");
  }
}
