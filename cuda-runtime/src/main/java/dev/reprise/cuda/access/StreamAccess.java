package dev.reprise.cuda.access;

import dev.reprise.cuda.diagnostics.UnorderedAccess;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What one stream does, as the check sees it. Called under the lock of the stream's own clock,
 * except {@link #point}.
 */
public final class StreamAccess {

  private record Added(AccessHistory history, List<PastUse> before) {}

  private final AccessChecker checker;
  private final Timeline timeline;

  /** What the last operation added, so that it can be withdrawn. */
  private List<Added> last = List.of();

  StreamAccess(AccessChecker checker, Timeline timeline) {
    this.checker = checker;
    this.timeline = timeline;
  }

  /**
   * Takes note of an operation before the driver sees it, and reports what it is not ordered with.
   *
   * @throws dev.reprise.cuda.diagnostics.UnorderedAccessException if such operations are refused;
   *     it then counts as not issued
   */
  public void issue(String what, List<DeclaredUse> declared) {
    List<DeclaredUse> uses = declared.stream().filter(use -> !use.extent().isEmpty()).toList();
    AccessSite site =
        new AccessSite("%s on stream '%s' was issued here".formatted(what, timeline.label()));
    List<UnorderedAccess> findings = new ArrayList<>();
    synchronized (Ordering.LOCK) {
      Clock clock = arrive();
      long tick = timeline.advance();
      for (DeclaredUse use : uses) {
        PastUse past = use.memory().conflict(use, clock);
        if (past != null) {
          PastUse now = new PastUse(use, use.extent(), timeline, tick, true, site);
          findings.add(finding(past, now));
        }
      }
      last = new ArrayList<>(uses.size());
      if (findings.isEmpty() || !checker.isRefusing()) {
        for (DeclaredUse use : uses) {
          PastUse now = new PastUse(use, use.extent(), timeline, tick, clock.isSettled(), site);
          last.add(new Added(use.memory(), use.memory().add(now, clock)));
        }
      }
    }
    checker.found(findings);
  }

  /** Undoes the last operation, which the driver refused. */
  public void withdraw() {
    synchronized (Ordering.LOCK) {
      for (Added added : last.reversed()) {
        added.history().restore(added.before(), timeline, timeline.ticks());
      }
      last = List.of();
    }
  }

  /**
   * What precedes the next operation: what the calling thread has waited for, and what the stream
   * has.
   */
  private Clock arrive() {
    Clock clock = timeline.clock();
    Clock host = Ordering.host(checker.threadsApart());
    clock.join(host);
    clock.settle(host);
    return clock;
  }

  private UnorderedAccess finding(PastUse past, PastUse now) {
    String before = past.timeline().label();
    String after = timeline.label();
    long reached = timeline.clock().reached(past.timeline());
    String known =
        reached == 0
            ? "No operation of stream '%s' precedes the second.".formatted(before)
            : "Stream '%s' is behind operation %d of stream '%s', and the first use is operation %d of it: an event was recorded too early, or is another one."
                .formatted(after, reached, before, past.tick());
    return new UnorderedAccess(
        AccessChecker.kind(past.declared().writes(), now.declared().writes()),
        now.declared().memory().described(),
        past.described(),
        now.described(),
        known
            + " Record an event on stream '%s' behind the first use and let stream '%s' wait for it before the second, or issue both to one stream."
                .formatted(before, after));
  }

  /** What precedes the next operation of the stream, its operations so far included. */
  public Clock point() {
    synchronized (Ordering.LOCK) {
      return arrive().copy();
    }
  }

  /** Lets the next operations come after a point. */
  public void waitFor(@Nullable Clock point) {
    if (point != null) {
      synchronized (Ordering.LOCK) {
        timeline.clock().join(point);
      }
    }
  }

  /** Makes the later of two points: the stream's own now, and one from before. */
  public Clock pointAfter(@Nullable Clock earlier) {
    synchronized (Ordering.LOCK) {
      Clock point = arrive().copy();
      if (earlier != null) {
        point.join(earlier);
      }
      return point;
    }
  }

  /** The stream writes a number that streams wait for. */
  public void signal(AccessHistory memory, long offset, long value) {
    synchronized (Ordering.LOCK) {
      Clock clock = arrive();
      timeline.advance();
      memory.signals().written(offset, value, clock.copy());
    }
  }

  /**
   * The stream waits for a number. If no write seen so far ends the wait, what will is not known:
   * everything issued so far counts as before it, and what comes behind it is not compared with
   * later work until the host has waited for it.
   */
  public void await(AccessHistory memory, long offset, LongPredicate met) {
    synchronized (Ordering.LOCK) {
      Clock clock = arrive();
      long tick = timeline.advance();
      Clock before = memory.signals().ending(offset, met);
      if (before != null) {
        clock.join(before);
        return;
      }
      clock.join(Ordering.everything(timeline.device()));
      OpenWait wait = new OpenWait(timeline, tick, offset, met);
      memory.signals().await(wait);
      clock.add(wait);
    }
  }

  /** The stream waits for a number that something unknown writes; as {@link #await}. */
  public void awaitUnknown() {
    synchronized (Ordering.LOCK) {
      Clock clock = arrive();
      clock.join(Ordering.everything(timeline.device()));
      clock.add(new OpenWait(timeline, timeline.advance(), 0, value -> false));
    }
  }

  /** The stream is destroyed. */
  public void closed() {
    Ordering.closed(timeline);
  }
}
