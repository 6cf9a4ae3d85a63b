package dev.reprise.softgpu.driver.operation;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A semaphore that a file stands for. A binary one is set by a signal and reset by the wait that it
 * ends; a timeline has a number that only rises, and a wait for a number ends when that is reached.
 * Thread-safe.
 */
public final class Semaphore {

  private static final AtomicLong IDS = new AtomicLong();

  private final long id = IDS.incrementAndGet();
  private final boolean timeline;
  private long value;

  /** Not signalled yet: at 0. */
  public Semaphore(boolean timeline) {
    this.timeline = timeline;
  }

  /** Unique for the life of the process. */
  long id() {
    return id;
  }

  /** Whether it is a timeline. */
  public boolean timeline() {
    return timeline;
  }

  synchronized void signal(long to) {
    value = timeline ? Math.max(value, to) : 1;
  }

  /** Whether a wait would end now. */
  synchronized boolean reached(long until) {
    return timeline ? value >= until : value != 0;
  }

  /** Ends a wait if it can end now. */
  synchronized boolean tryWait(long until) {
    if (timeline) {
      return value >= until;
    }
    boolean set = value != 0;
    value = 0;
    return set;
  }
}
