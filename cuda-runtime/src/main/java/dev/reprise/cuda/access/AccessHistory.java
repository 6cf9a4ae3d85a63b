package dev.reprise.cuda.access;

import dev.reprise.cuda.diagnostics.UnorderedAccess;
import dev.reprise.cuda.ownership.HandleNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The uses of one region that a later use could run beside. Guarded by {@link Ordering#LOCK}.
 *
 * <p>A write takes the place of the uses of its bytes that precede it, and a read that of the
 * reads: whatever is unordered with those is unordered with it. So each byte has one write and one
 * read for each stream at most, as long as nothing is reported. {@link #LIMIT} uses are kept in
 * all; beyond that the oldest are dropped, and what conflicts with one of them is not found.
 */
public final class AccessHistory {

  /** Uses that are kept. */
  static final int LIMIT = 1024;

  private final HandleNode node;
  private final LongSupplier size;
  private List<PastUse> uses = List.of();
  private @Nullable SignalValues signals;

  /**
   * A region that is not used yet.
   *
   * @param node what it is called
   * @param size its bytes now
   */
  public AccessHistory(HandleNode node, LongSupplier size) {
    this.node = node;
    this.size = size;
  }

  UnorderedAccess.Memory described() {
    return new UnorderedAccess.Memory(
        node.kind(), node.label(), size.getAsLong(), node.creationSite());
  }

  /** A use that conflicts with one at the point of a clock and does not precede it, or null. */
  @Nullable PastUse conflict(DeclaredUse use, Clock clock) {
    if (!clock.isSettled()) {
      return null;
    }
    for (PastUse past : uses) {
      if (past.declared().conflictsWith(use)
          && past.settled()
          && !clock.covers(past.timeline(), past.tick())
          && past.extent().overlaps(use.extent())) {
        return past;
      }
    }
    return null;
  }

  /** Adds a use and gives the uses that were kept before, for {@link #restore}. */
  List<PastUse> add(PastUse now, Clock clock) {
    List<PastUse> before = uses;
    List<PastUse> kept = new ArrayList<>(before.size() + 1);
    for (PastUse past : before) {
      if (past.timeline().isForgotten()) {
        continue;
      }
      boolean replaceable = now.declared().writes() || !past.declared().writes();
      if (replaceable && now.settled() && clock.covers(past.timeline(), past.tick())) {
        List<Extent> left = past.extent().minus(now.extent());
        if (left.size() == 1 && left.getFirst() == past.extent()) {
          kept.add(past);
        } else {
          left.forEach(part -> kept.add(past.cutTo(part)));
        }
      } else {
        kept.add(past);
      }
    }
    kept.add(now);
    uses = kept.size() > LIMIT ? List.copyOf(kept.subList(kept.size() - LIMIT, kept.size())) : kept;
    return before;
  }

  /** Undoes the uses of an operation that failed. */
  void restore(List<PastUse> before, Timeline timeline, long tick) {
    if (uses.getLast().timeline() == timeline && uses.getLast().tick() == tick) {
      uses = before;
    } else {
      // Others have come meanwhile; what the failed use took the place of is lost.
      uses = uses.stream().filter(u -> u.timeline() != timeline || u.tick() != tick).toList();
    }
  }

  /** How many uses are kept. */
  int size() {
    return uses.size();
  }

  /** The numbers in it that order streams. */
  SignalValues signals() {
    SignalValues known = signals;
    if (known == null) {
      known = new SignalValues();
      signals = known;
    }
    return known;
  }
}
