package dev.reprise.cli.measure;

/** A way to run a step, at one end of the positions of its bucket. */
public enum StepArm {
  /** One graph launch, rows near position 0. */
  REPLAY_START(false, false),
  /** One graph launch, rows at the end of the context. */
  REPLAY_END(false, true),
  /** Plain launches, rows near position 0. */
  EAGER_START(true, false),
  /** Plain launches, rows at the end of the context. */
  EAGER_END(true, true);

  private final boolean eager;
  private final boolean end;

  StepArm(boolean eager, boolean end) {
    this.eager = eager;
    this.end = end;
  }

  boolean eager() {
    return eager;
  }

  /** The position of the first of {@code steps} steps. */
  int firstPosition(int context, int steps) {
    return end ? context - steps : 0;
  }
}
