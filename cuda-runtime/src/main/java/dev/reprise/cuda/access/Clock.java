package dev.reprise.cuda.access;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * What precedes a point in the work of a stream, of the host, or of an event: how many operations
 * of each stream. Guarded by {@link Ordering#LOCK}.
 */
public final class Clock {

  /** Waits up to which each is kept, so that its end can be recognised. */
  private static final int LIMIT = 64;

  private final Map<Timeline, Long> known = new IdentityHashMap<>();

  /** Waits before it whose cause is not known, or was not known when they were issued. */
  private List<OpenWait> open = List.of();

  Clock() {}

  /** Adds what precedes another point. */
  void join(Clock other) {
    if (other == this) {
      return;
    }
    other.known.forEach(this::learn);
    for (OpenWait wait : other.open) {
      add(wait);
    }
  }

  /** For each stream the newest wait, which ends for no other reason than that the host waits. */
  private static List<OpenWait> newest(List<OpenWait> waits) {
    Map<Timeline, OpenWait> newest = new IdentityHashMap<>();
    for (OpenWait wait : waits) {
      newest.merge(
          wait.timeline(),
          new OpenWait(wait.timeline(), wait.tick(), 0, value -> false),
          (one, other) -> one.tick() > other.tick() ? one : other);
    }
    return List.copyOf(newest.values());
  }

  void learn(Timeline timeline, long tick) {
    if (!timeline.isForgotten()) {
      known.merge(timeline, tick, Math::max);
    }
  }

  void add(OpenWait wait) {
    if (!open.contains(wait)) {
      List<OpenWait> more = new ArrayList<>(open);
      more.add(wait);
      open = more.size() > LIMIT ? newest(more) : more;
    }
  }

  /** How many operations of a stream precede. */
  long reached(Timeline timeline) {
    return known.getOrDefault(timeline, 0L);
  }

  /** Whether an operation precedes. */
  boolean covers(Timeline timeline, long tick) {
    return timeline.isForgotten() || reached(timeline) >= tick;
  }

  /** Takes note of waits that are explained or over, and of streams that are forgotten. */
  void settle(Clock host) {
    known.keySet().removeIf(Timeline::isForgotten);
    if (open.isEmpty()) {
      return;
    }
    List<OpenWait> still = new ArrayList<>();
    List<OpenWait> before = open;
    open = List.of();
    for (OpenWait wait : before) {
      Clock cause = wait.cause();
      if (cause != null) {
        join(cause);
      } else if (!host.covers(wait.timeline(), wait.tick())) {
        still.add(wait);
      }
    }
    still.forEach(this::add);
  }

  /** Whether the order is known in full. */
  boolean isSettled() {
    return open.isEmpty();
  }

  Clock copy() {
    Clock copy = new Clock();
    copy.join(this);
    return copy;
  }
}
