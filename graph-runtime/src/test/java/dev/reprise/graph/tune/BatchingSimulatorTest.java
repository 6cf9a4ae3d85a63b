package dev.reprise.graph.tune;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BatchingSimulatorTest {

  private final StepCosts costs = TestCosts.uniform();

  @Test
  void aLoneRequestDecodesOneTokenAStep() {
    StepHistogram steps =
        new BatchingSimulator(costs, 8, 1024, 10).run(List.of(new Arrival(5, 10, 3)));
    assertThat(steps.entries())
        .containsExactly(
            new StepHistogram.Entry(1, 11, 1),
            new StepHistogram.Entry(1, 12, 1),
            new StepHistogram.Entry(1, 13, 1));
  }

  @Test
  void requestsJoinAndLeaveBetweenSteps() {
    StepHistogram steps =
        new BatchingSimulator(costs, 8, 1024, 0)
            .run(List.of(new Arrival(0, 100, 2), new Arrival(0, 5, 4)));
    assertThat(steps.entries())
        .containsExactly(
            new StepHistogram.Entry(1, 8, 1),
            new StepHistogram.Entry(1, 9, 1),
            new StepHistogram.Entry(2, 101, 1),
            new StepHistogram.Entry(2, 102, 1));
  }

  @Test
  void noMoreRowsRunThanThereAre() {
    List<Arrival> many = java.util.Collections.nCopies(10, new Arrival(0, 4, 6));
    StepHistogram steps = new BatchingSimulator(costs, 4, 1024, 0).run(many);
    assertThat(steps.maxRows()).isEqualTo(4);
    assertThat(steps.steps()).isEqualTo(18);
  }

  @Test
  void aRequestEndsAtTheLongestContext() {
    StepHistogram steps =
        new BatchingSimulator(costs, 1, 16, 0)
            .run(List.of(new Arrival(0, 10, 100), new Arrival(0, 100, 100)));
    assertThat(steps.maxPositions()).isEqualTo(16);
    assertThat(steps.steps()).isEqualTo(7);
  }

  @ParameterizedTest
  @EnumSource(SyntheticWorkload.class)
  void everyTokenIsAStepOfItsRow(SyntheticWorkload workload) {
    List<Arrival> arrivals = workload.arrivals(1, 300, 50, 100, 40);
    assertThat(arrivals).isEqualTo(workload.arrivals(1, 300, 50, 100, 40));
    StepHistogram steps = new BatchingSimulator(costs, 16, 1 << 20, 5).run(arrivals);
    long rowSteps = steps.entries().stream().mapToLong(e -> e.rows() * e.steps()).sum();
    assertThat(rowSteps).isEqualTo(arrivals.stream().mapToLong(Arrival::outputTokens).sum());
  }
}
