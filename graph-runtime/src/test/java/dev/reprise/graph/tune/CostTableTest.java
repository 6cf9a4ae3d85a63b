package dev.reprise.graph.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.tune.CostTable.Sample;
import java.util.List;
import org.junit.jupiter.api.Test;

class CostTableTest {

  private final CostTable table =
      new CostTable(
          List.of(
              new Sample(1, 100, 10, 20, 1, 100),
              new Sample(1, 200, 20, 30, 1, 100),
              new Sample(5, 100, 50, 60, 2, 300),
              new Sample(5, 200, 100, 110, 2, 300)));

  @Test
  void costsAreLinearBetweenSamplesAndBeyondThem() {
    assertThat(table.replayMicros(new Bucket(1, 100))).isEqualTo(10);
    assertThat(table.replayMicros(new Bucket(5, 200))).isEqualTo(100);
    assertThat(table.replayMicros(new Bucket(1, 150))).isEqualTo(15);
    assertThat(table.replayMicros(new Bucket(3, 150))).isEqualTo(45);
    assertThat(table.replayMicros(new Bucket(9, 200))).isEqualTo(180);
    assertThat(table.replayMicros(new Bucket(1, 10))).isEqualTo(10);
    assertThat(table.eagerMicros(3, 100)).isEqualTo(40);
    assertThat(table.bytes(new Bucket(3, 100))).isEqualTo(200);
    assertThat(table.captureMillis(new Bucket(5, 200))).isEqualTo(2);
  }

  @Test
  void whatLiveRowsCostIsInterpolatedByItself() {
    CostTable table =
        new CostTable(
            List.of(new Sample(1, 100, 10, 2, 20, 1, 1), new Sample(1, 200, 10, 4, 22, 1, 1)));
    assertThat(table.replayMicros(new Bucket(1, 150))).isEqualTo(10);
    assertThat(table.liveMicros(1, 150)).isEqualTo(3);
    assertThat(table.liveMicros(1, 300)).isEqualTo(6);
  }

  @Test
  void splitsAreThoseOfTheSmallestSampleThatHoldsTheBucketAsFarAsItHasSegments() {
    CostTable table =
        new CostTable(
            List.of(
                new Sample(1, 1024, 1, 0, 1, 1, 1, 4),
                new Sample(1, 4096, 2, 0, 2, 1, 1, 16),
                new Sample(8, 1024, 3, 0, 3, 1, 1, 2),
                new Sample(8, 4096, 4, 0, 4, 1, 1, Bucket.AUTO)));
    assertThat(table.splits(new Bucket(1, 1024))).isEqualTo(4);
    assertThat(table.splits(new Bucket(1, 1025))).as("five segments").isEqualTo(5);
    assertThat(table.splits(new Bucket(1, 4096))).isEqualTo(16);
    assertThat(table.splits(new Bucket(2, 200))).as("one segment of 256").isEqualTo(1);
    assertThat(table.splits(new Bucket(8, 1000))).isEqualTo(2);
    assertThat(table.splits(new Bucket(5, 2000))).isEqualTo(Bucket.AUTO);
    assertThat(table.splits(new Bucket(100, 100_000))).isEqualTo(Bucket.AUTO);
    assertThatThrownBy(() -> new Sample(1, 1024, 1, 0, 1, 1, 1, 5)).hasMessageContaining("splits");
  }

  @Test
  void aSampleBelowThatOfASmallerShapeIsRaisedToIt() {
    CostTable noisy =
        new CostTable(List.of(new Sample(1, 16, 50, 60, 1, 1), new Sample(2, 16, 49, 61, 1, 1)));
    assertThat(noisy.replayMicros(new Bucket(2, 16))).isEqualTo(50);
    assertThat(noisy.eagerMicros(2, 16)).isEqualTo(61);
  }

  @Test
  void aTableOfOneSampleIsTheSameEverywhere() {
    CostTable one = new CostTable(List.of(new Sample(4, 64, 7, 8, 1, 9)));
    assertThat(one.replayMicros(new Bucket(100, 100_000))).isEqualTo(7);
    assertThat(one.replayMicros(new Bucket(1, 1))).isEqualTo(7);
  }

  @Test
  void aTableWithAHoleOrARepetitionIsRefusedNamingIt() {
    Sample a = new Sample(1, 16, 1, 1, 1, 1);
    Sample b = new Sample(2, 32, 1, 1, 1, 1);
    assertThatThrownBy(() -> new CostTable(List.of(a, b)))
        .hasMessageContaining("no sample for 1 × 32");
    assertThatThrownBy(() -> new CostTable(List.of(a, a))).hasMessageContaining("1x16 twice");
    assertThatThrownBy(() -> new CostTable(List.of())).hasMessageContaining("at least one sample");
    assertThatThrownBy(() -> new Sample(1, 16, Double.NaN, 1, 1, 1)).hasMessageContaining("NaN");
  }
}
