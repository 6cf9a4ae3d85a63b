package dev.reprise.cuda.access;

/** The operations of one stream, counted from 1. Guarded by {@link Ordering#LOCK}. */
final class Timeline {

  private final String label;
  private final int device;
  private final Clock clock = new Clock();
  private long ticks;
  private boolean forgotten;

  Timeline(String label, int device) {
    this.label = label;
    this.device = device;
  }

  String label() {
    return label;
  }

  int device() {
    return device;
  }

  /** What precedes the next operation, its own operations included. */
  Clock clock() {
    return clock;
  }

  /** Counts an operation, which precedes the later ones. */
  long advance() {
    ticks++;
    clock.learn(this, ticks);
    return ticks;
  }

  long ticks() {
    return ticks;
  }

  /** Whether its operations count as before everything, see {@link Ordering#closed}. */
  boolean isForgotten() {
    return forgotten;
  }

  void forget() {
    forgotten = true;
  }
}
