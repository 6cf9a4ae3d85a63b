package dev.reprise.cuda.access;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The streams of the process and what its threads have waited for. One for the process, as its
 * threads are, and as objects of two opened devices of one ordinal may meet.
 */
final class Ordering {

  /** Guards all clocks and histories. Nothing is called under it that could wait. */
  static final Object LOCK = new Object();

  /** Destroyed streams whose operations still count as unordered. */
  static final int REMEMBERED = 256;

  private static final Set<Timeline> OPEN = Collections.newSetFromMap(new IdentityHashMap<>());
  private static final ArrayDeque<Timeline> CLOSED = new ArrayDeque<>();

  private static final Clock HOST = new Clock();
  private static final ThreadLocal<Clock> THREAD = ThreadLocal.withInitial(Clock::new);

  private Ordering() {}

  static Timeline open(String label, int device) {
    synchronized (LOCK) {
      Timeline timeline = new Timeline(label, device);
      OPEN.add(timeline);
      return timeline;
    }
  }

  /**
   * Notes that a stream is destroyed, which the driver does when its work is done. What it did goes
   * on to count as not waited for until {@link #REMEMBERED} more are destroyed, so that a missing
   * order is found whenever the stream goes, and nothing grows for ever.
   */
  static void closed(Timeline timeline) {
    synchronized (LOCK) {
      OPEN.remove(timeline);
      CLOSED.add(timeline);
      if (CLOSED.size() > REMEMBERED) {
        CLOSED.remove().forget();
      }
    }
  }

  /** What precedes an operation that the calling thread issues now. The lock is held. */
  static Clock host(boolean threadsApart) {
    return threadsApart ? THREAD.get() : HOST;
  }

  /** Notes that the calling thread has waited for a point. */
  static void waited(Clock point) {
    synchronized (LOCK) {
      join(HOST, point);
      join(THREAD.get(), point);
    }
  }

  private static void join(Clock host, Clock point) {
    host.join(point);
    host.settle(host);
  }

  /** Everything that was issued so far to a device. */
  static Clock everything(int device) {
    synchronized (LOCK) {
      Clock all = new Clock();
      OPEN.forEach(timeline -> {
        if (timeline.device() == device) {
          all.join(timeline.clock());
        }
      });
      CLOSED.forEach(timeline -> {
        if (timeline.device() == device) {
          all.join(timeline.clock());
        }
      });
      return all;
    }
  }
}
