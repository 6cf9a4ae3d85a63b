package dev.reprise.graph.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.bucket.BucketSizes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tuner against the lists that other systems capture, each with the same number of graphs. */
class PeerListsTest {

  private static Map<String, List<Integer>> lists(int maxRows) {
    Map<String, List<Integer>> lists = new LinkedHashMap<>();
    lists.put("vLLM", BucketSizes.vllm(maxRows));
    lists.put("SGLang", BucketSizes.sglang(maxRows));
    lists.put("TensorRT-LLM", BucketSizes.tensorRtLlm(maxRows));
    lists.put("powers of two", BucketSizes.powersOfTwo(maxRows));
    return lists;
  }

  @Test
  void theFourWorkloadsAreSteadyBurstyLongTailAndRamp() {
    assertThat(SyntheticWorkload.values())
        .extracting(SyntheticWorkload::label)
        .containsExactly("steady", "bursty", "long-tail", "ramp");
  }

  @ParameterizedTest
  @EnumSource(SyntheticWorkload.class)
  void theTunedSetIsNeverWorseThanAListWithAsManyGraphs(SyntheticWorkload workload) {
    StepCosts costs = TestCosts.uniform();
    StepHistogram steps =
        new BatchingSimulator(costs, 96, 4096, 15).run(workload.arrivals(42, 800, 300, 300, 80));
    assertThat(steps.maxRows()).as("rows in flight").isGreaterThan(16);
    Map<String, List<Integer>> lists = lists(96);
    List<Integer> wanted = new ArrayList<>();
    lists.values().forEach(wanted::addAll);
    TunedBuckets tuned = new BucketTuner(costs, TunerLimits.graphs(24), wanted).tune(steps);
    lists.forEach((name, rows) -> {
      BucketSet set = BucketSet.of(rows, List.of(4096));
      BucketEvaluation theirs = BucketEvaluation.of(set, steps, costs);
      BucketEvaluation ours =
          BucketEvaluation.of(tuned.withAtMost(theirs.graphs()).set(), steps, costs);
      assertThat(ours.graphs()).as(name).isLessThanOrEqualTo(theirs.graphs());
      assertThat(ours.totalMicros()).as(name).isLessThanOrEqualTo(theirs.totalMicros());
    });
  }
}
