package dev.reprise.graph.decode;

import dev.reprise.cuda.Stream;
import dev.reprise.graph.cache.CapturedStep;
import dev.reprise.graph.cache.GraphKey;
import org.jspecify.annotations.Nullable;

/**
 * A step prepared for one shape and one result slot, with its captured form while there is one: the
 * interned form of a graph key, so that a step finds its graph without a look-up.
 */
final class PreparedStep {

  /** Eager steps of a shape before a failed capture of it is tried again; doubles each time. */
  private static final long FIRST_BACK_OFF = 64;

  private static final int MOST_DOUBLINGS = 10;

  /** Weight of the newest measurement of a step's time. */
  private static final double NEWEST = 0.125;

  final StepShape shape;
  final int slot;
  final GraphKey key;
  private final Step step;
  private @Nullable CapturedStep captured;

  private long misses;
  private long retryAt;
  private int failures;
  private EagerReason reason = EagerReason.COLD;

  private double eagerNanos;
  private double replayNanos;

  long steps;
  long liveRows;

  PreparedStep(StepShape shape, int slot, GraphKey key, Step step) {
    this.shape = shape;
    this.slot = slot;
    this.key = key;
    this.step = step;
  }

  void enqueue(Stream stream) {
    step.enqueue(stream);
  }

  @Nullable CapturedStep captured() {
    CapturedStep current = captured;
    if (current != null && current.isClosed()) {
      captured = null;
      reason = EagerReason.NO_ROOM;
      return null;
    }
    return current;
  }

  void captured(CapturedStep fresh) {
    captured = fresh;
    failures = 0;
    misses = 0;
    retryAt = 0;
  }

  /** A step of this shape had no graph. */
  void missed() {
    misses++;
  }

  long misses() {
    return misses;
  }

  /**
   * Whether it was wanted, and not refused too lately. One step over prompts may be all there is of
   * its shape, so that the second one has to want it.
   */
  boolean wantsCapture() {
    return captured() == null && misses >= (shape.prefill() ? 2 : 1) && misses >= retryAt;
  }

  /** Keeps from trying again for a while, longer each time. */
  void backOff(EagerReason why) {
    reason = why;
    retryAt = misses + (FIRST_BACK_OFF << Math.min(failures, MOST_DOUBLINGS));
    failures++;
  }

  void lost(EagerReason why) {
    captured = null;
    reason = why;
  }

  EagerReason reason() {
    return reason;
  }

  /** This shape is no bucket to be replayed. */
  void neverCapture() {
    reason = EagerReason.NO_BUCKET;
    retryAt = Long.MAX_VALUE;
  }

  /** Takes the time that a step took. */
  void took(boolean replay, long nanos) {
    if (replay) {
      replayNanos = average(replayNanos, nanos);
    } else {
      eagerNanos = average(eagerNanos, nanos);
    }
    CapturedStep current = captured;
    if (current != null && eagerNanos > 0 && replayNanos > 0) {
      current.saves(eagerNanos - replayNanos);
    }
  }

  private static double average(double before, long nanos) {
    return before == 0 ? nanos : before + NEWEST * (nanos - before);
  }

  double eagerNanos() {
    return eagerNanos;
  }

  double replayNanos() {
    return replayNanos;
  }
}
