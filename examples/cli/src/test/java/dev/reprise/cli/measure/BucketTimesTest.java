package dev.reprise.cli.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.bucket.Bucket;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BucketTimesTest {

  private static Summary of(double... values) {
    return Summary.of(values);
  }

  private static BucketTimes times(double replay, double eager) {
    return new BucketTimes(
        new Bucket(4, 64),
        51,
        1024,
        of(500, 700, 100),
        of(200),
        of(10, 90),
        of(30),
        Map.of(StepArm.REPLAY_END, of(replay), StepArm.EAGER_END, of(eager)));
  }

  @Test
  void aGraphHasPaidAfterTheStepsThatSaveWhatItsMakingTook() {
    assertThat(times(10, 110).makingMicros()).isEqualTo(500 + 200 + 50);
    // 750 us at 100 us a step are 8 steps of 4 tokens.
    assertThat(times(10, 110).breakEvenTokens(StepArm.REPLAY_END, StepArm.EAGER_END)).hasValue(32);
    assertThat(times(10, 760).breakEvenTokens(StepArm.REPLAY_END, StepArm.EAGER_END)).hasValue(4);
  }

  @Test
  void aGraphThatSavesNothingNeverPays() {
    assertThat(times(10, 10).breakEvenTokens(StepArm.REPLAY_END, StepArm.EAGER_END)).isEmpty();
    assertThat(times(10, 9).breakEvenTokens(StepArm.REPLAY_END, StepArm.EAGER_END)).isEmpty();
  }

  @Test
  void theStepsOfAnArmEndAtTheEndOfTheContextOrBeginAtTheStart() {
    assertThat(StepArm.REPLAY_END.firstPosition(64, 3)).isEqualTo(61);
    assertThat(StepArm.EAGER_START.firstPosition(64, 3)).isZero();
  }
}
