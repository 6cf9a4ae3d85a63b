package dev.reprise.graph.decode;

import org.jspecify.annotations.Nullable;

/**
 * How a bucket was used.
 *
 * @param steps decode steps
 * @param liveRows rows that were sequences
 * @param paddingRows rows that were padding
 * @param eagerNanos a recent average of a step by plain launches, 0 if there was none
 * @param replayNanos a recent average of a replay, 0 if there was none
 */
public record BucketUse(
    long steps, long liveRows, long paddingRows, double eagerNanos, double replayNanos) {

  static BucketUse of(StepShape shape, @Nullable PreparedStep[] slots) {
    BucketUse use = new BucketUse(0, 0, 0, 0, 0);
    for (PreparedStep step : slots) {
      if (step != null) {
        use =
            use.plus(
                new BucketUse(
                    step.steps,
                    step.liveRows,
                    step.steps * shape.bucket().rows() - step.liveRows,
                    step.eagerNanos(),
                    step.replayNanos()));
      }
    }
    return use;
  }

  BucketUse plus(BucketUse other) {
    return new BucketUse(
        steps + other.steps,
        liveRows + other.liveRows,
        paddingRows + other.paddingRows,
        mean(eagerNanos, other.eagerNanos),
        mean(replayNanos, other.replayNanos));
  }

  private static double mean(double a, double b) {
    return a == 0 || b == 0 ? a + b : (a + b) / 2;
  }
}
