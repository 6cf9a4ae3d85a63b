package dev.reprise.graph.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StepHistogramTest {

  @Test
  void countsEveryShapeAndListsThemInOrder() {
    long seed = 5;
    Random random = new Random(seed);
    StepHistogram histogram = new StepHistogram();
    Map<Long, Long> expected = new TreeMap<>();
    for (int i = 0; i < 20_000; i++) {
      int rows = 1 + random.nextInt(random.nextBoolean() ? 40 : Integer.MAX_VALUE - 1);
      int positions = 1 + random.nextInt(random.nextBoolean() ? 200 : Integer.MAX_VALUE - 1);
      long count = 1L + random.nextInt(random.nextInt(50) == 0 ? Integer.MAX_VALUE : 9);
      histogram.add(rows, positions, count);
      expected.merge((long) rows << 32 | positions, count, Long::sum);
    }
    assertThat(histogram.entries())
        .as("seed %d", seed)
        .isEqualTo(
            expected.entrySet().stream()
                .map(e ->
                    new StepHistogram.Entry(
                        (int) (e.getKey() >> 32), e.getKey().intValue(), e.getValue()))
                .toList());
    assertThat(histogram.steps())
        .isEqualTo(expected.values().stream().mapToLong(Long::longValue).sum());
    assertThat(histogram.maxRows())
        .isEqualTo(histogram.entries().getLast().rows())
        .isGreaterThan(1 << 30);
  }

  @Test
  void aStepAddedAfterListingIsListedNext() {
    StepHistogram histogram = new StepHistogram();
    histogram.add(2, 3);
    assertThat(histogram.entries()).hasSize(1);
    histogram.add(1, 3);
    histogram.add(2, 3);
    assertThat(histogram.entries())
        .containsExactly(new StepHistogram.Entry(1, 3, 1), new StepHistogram.Entry(2, 3, 2));
  }

  @Test
  void anEmptyOneHasNoShapes() {
    StepHistogram empty = new StepHistogram();
    assertThat(empty.entries()).isEmpty();
    assertThat(empty.steps()).isZero();
    assertThat(empty.maxRows()).isZero();
    assertThat(empty.maxPositions()).isZero();
    assertThatThrownBy(() -> empty.add(0, 1, 1)).hasMessageContaining("0 rows, 1 positions");
  }
}
