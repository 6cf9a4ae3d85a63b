package dev.reprise.graph.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BucketTunerTest {

  private static final int[] ROWS = {1, 3, 8};
  private static final int[] CONTEXTS = {16, 32, 64};

  private static StepHistogram randomWorkload(Random random) {
    StepHistogram workload = new StepHistogram();
    workload.add(8, 64, 1);
    for (int row : ROWS) {
      for (int context : CONTEXTS) {
        if (random.nextBoolean()) {
          workload.add(row, context, 1 + random.nextInt(100));
        }
      }
    }
    return workload;
  }

  private static void assertOptimal(
      StepHistogram workload, StepCosts costs, TunerLimits limits, long seed) {
    TunedBuckets.Choice best = new BucketTuner(costs, limits).tune(workload).best();
    double least = new BruteForce(ROWS, CONTEXTS).least(workload, costs, limits);
    assertThat(best.totalMicros()).as("seed %d", seed).isCloseTo(least, within(1e-6 * least));
    BucketEvaluation evaluation = BucketEvaluation.of(best.set(), workload, costs);
    double total =
        evaluation.totalMicros() + limits.captureWeight() * 1000 * evaluation.captureMillis();
    assertThat(total).as("seed %d", seed).isCloseTo(least, within(1e-6 * least));
    assertThat(evaluation.graphs()).isLessThanOrEqualTo(limits.graphs());
    assertThat(evaluation.bytes()).isLessThanOrEqualTo(limits.bytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 5, 12})
  void bruteForceFindsNothingBetterForALimitOnGraphs(int graphs) {
    for (long seed = 0; seed < 3; seed++) {
      Random random = new Random(seed);
      StepHistogram workload = randomWorkload(random);
      TestCosts costs = new TestCosts(random.nextInt(40), 1000, 0);
      assertOptimal(workload, costs, TunerLimits.graphs(graphs), seed);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {900, 1100, 2400, 5000, 9000})
  void bruteForceFindsNothingBetterForALimitOnBytes(long bytes) {
    for (long seed = 10; seed < 13; seed++) {
      StepHistogram workload = randomWorkload(new Random(seed));
      // Sizes differ by whole sixteenths of their range, so that rounding up costs nothing.
      TestCosts costs = new TestCosts(300, 840, 160);
      assertOptimal(workload, costs, new TunerLimits(4, bytes, 16, 0), seed);
    }
  }

  @Test
  void bruteForceFindsNothingBetterWhenCapturingCounts() {
    for (long seed = 20; seed < 24; seed++) {
      StepHistogram workload = randomWorkload(new Random(seed));
      TestCosts costs = new TestCosts(100, 1000, 0);
      assertOptimal(workload, costs, new TunerLimits(6, Long.MAX_VALUE, 16, 1), seed);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {30, 31, 32, 33, 34, 35})
  void whatIsLeftOutOfTheProgrammeChangesNoTimeForAnyNumberOfGraphs(long seed) {
    Random random = new Random(seed);
    StepHistogram workload = new StepHistogram();
    int[] rows = new int[12];
    int[] contexts = new int[7];
    for (int c = 0; c < contexts.length; c++) {
      contexts[c] = 16 * (c + 1);
    }
    for (int row = 0; row < rows.length; row++) {
      rows[row] = row + 1;
      for (int context : contexts) {
        if (context == 16 || random.nextInt(3) > 0) {
          workload.add(row + 1, context - random.nextInt(16), 1 + random.nextInt(200));
        }
      }
    }
    workload.add(12, 112, 1);
    StepCosts costs = new TestCosts(random.nextInt(60), 1000, 0);
    TunedBuckets tuned = new BucketTuner(costs, TunerLimits.graphs(14)).tune(workload);
    double[] least = new PlainProgramme(workload, costs, rows, contexts).least(14);
    for (int graphs = 0; graphs <= 14; graphs++) {
      assertThat(tuned.withAtMost(graphs).totalMicros())
          .as("seed %d, %d graphs", seed, graphs)
          .isCloseTo(least[graphs], within(1e-9 * least[graphs]));
    }
  }

  @Test
  void bytesNeverExceedTheLimitWhereverTheyAreRounded() {
    StepHistogram workload = new StepHistogram();
    Random random = new Random(7);
    for (int i = 0; i < 400; i++) {
      workload.add(1 + random.nextInt(64), 1 + random.nextInt(4000), 1 + random.nextInt(50));
    }
    StepCosts costs = new TestCosts(200, 5_600_123, 70_001);
    for (long limit = 1_000_000; limit < 200_000_000; limit *= 4) {
      TunerLimits limits = new TunerLimits(24, limit, 16, 0);
      TunedBuckets tuned = new BucketTuner(costs, limits).tune(workload);
      BucketEvaluation evaluation = BucketEvaluation.of(tuned.best().set(), workload, costs);
      assertThat(evaluation.bytes()).isLessThanOrEqualTo(limit);
      assertThat(evaluation.totalMicros())
          .isCloseTo(tuned.best().totalMicros(), within(1e-6 * evaluation.totalMicros()));
    }
  }

  @Test
  void stepsForWhichReplayDoesNotPayStayEager() {
    StepHistogram workload = new StepHistogram();
    workload.add(1, 16, 1000);
    workload.add(8, 64, 1000);
    // Launching saves nothing on wide steps: their kernels hide it.
    StepCosts costs =
        new StepCosts() {
          @Override
          public double replayMicros(Bucket bucket) {
            return bucket.rows() < 8 ? 50 : 1000;
          }

          @Override
          public double eagerMicros(int rows, int positions) {
            return rows < 8 ? 400 : 1000;
          }

          @Override
          public double captureMillis(Bucket bucket) {
            return 5;
          }

          @Override
          public long bytes(Bucket bucket) {
            return 1;
          }
        };
    TunedBuckets.Choice best = new BucketTuner(costs, TunerLimits.graphs(8)).tune(workload).best();
    assertThat(best.set().largestFirst()).containsExactly(new Bucket(1, 64));
    assertThat(best.set().smallest(8, 64)).isEmpty();
    assertThat(best.set().smallest(1, 16)).contains(new Bucket(1, 64));
  }

  @Test
  void shapesThatTheWorkloadLacksAreServedByTheNextLargerBucket() {
    StepHistogram workload = new StepHistogram();
    workload.add(2, 512, 1000);
    workload.add(4, 64, 1000);
    workload.add(8, 256, 1000);
    BucketSet set =
        new BucketTuner(TestCosts.uniform(), TunerLimits.graphs(8)).tune(workload).best().set();
    assertThat(set.eager()).isEmpty();
    assertThat(set.smallest(2, 16)).contains(new Bucket(2, 512));
    assertThat(set.smallest(4, 100)).contains(new Bucket(8, 256));
  }

  @Test
  void aBucketReachesAsFarAsItCostsNoMore() {
    StepHistogram workload = new StepHistogram();
    workload.add(2, 64, 1000);
    workload.add(4, 512, 1000);
    StepCosts costs =
        new StepCosts() {
          @Override
          public double replayMicros(Bucket bucket) {
            return 10 * bucket.rows();
          }

          @Override
          public double eagerMicros(int rows, int positions) {
            return 100 * rows;
          }

          @Override
          public double captureMillis(Bucket bucket) {
            return 1;
          }

          @Override
          public long bytes(Bucket bucket) {
            return 1;
          }
        };
    BucketSet set = new BucketTuner(costs, TunerLimits.graphs(8)).tune(workload).best().set();
    assertThat(set.largestFirst()).containsExactly(new Bucket(4, 512), new Bucket(2, 512));
  }

  @Test
  void ofEqualSetsTheOneIsTakenThatReplaysMore() {
    StepHistogram workload = new StepHistogram();
    workload.add(3, 64, 10);
    workload.add(4, 64, 5);
    // One graph of 4 rows: 15 steps of 40. One of 3 rows: 10 of 30, and 5 of 60 eagerly.
    CostTable costs =
        new CostTable(
            List.of(
                new CostTable.Sample(1, 64, 10, 30, 1, 100),
                new CostTable.Sample(4, 64, 40, 60, 1, 100)));
    TunedBuckets.Choice best = new BucketTuner(costs, TunerLimits.graphs(1)).tune(workload).best();
    assertThat(best.totalMicros()).isEqualTo(600);
    assertThat(best.set().largestFirst()).containsExactly(new Bucket(4, 64));
    assertThat(best.set().eager()).isEmpty();
  }

  @Test
  void moreGraphsNeverCostMore() {
    StepHistogram workload =
        new BatchingSimulator(TestCosts.uniform(), 64, 2048, 20)
            .run(SyntheticWorkload.BURSTY.arrivals(3, 500, 20, 200, 60));
    TunedBuckets tuned =
        new BucketTuner(TestCosts.uniform(), TunerLimits.graphs(40)).tune(workload);
    for (int graphs = 1; graphs <= 40; graphs++) {
      assertThat(tuned.withAtMost(graphs).totalMicros())
          .isLessThanOrEqualTo(tuned.withAtMost(graphs - 1).totalMicros());
    }
  }

  @Test
  void aWorkloadWithoutStepsIsRefused() {
    BucketTuner tuner = new BucketTuner(TestCosts.uniform(), TunerLimits.graphs(1));
    assertThatThrownBy(() -> tuner.tune(new StepHistogram()))
        .hasMessageContaining("no decode step");
  }
}
