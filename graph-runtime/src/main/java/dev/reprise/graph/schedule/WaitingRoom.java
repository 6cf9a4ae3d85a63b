package dev.reprise.graph.schedule;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The waiting requests of all priorities. Within one, those that ran before and were preempted go
 * first, in order of submission; they have paid their share already.
 */
final class WaitingRoom<S extends ScheduledSequence> {

  private final List<FairQueue<S>> fresh = new ArrayList<>();
  private final TreeSet<S> again =
      new TreeSet<>(
          Comparator.<S, Priority>comparing(ScheduledSequence::priority)
              .reversed()
              .thenComparingLong(ScheduledSequence::order));
  private int freshCount;

  WaitingRoom() {
    for (int i = 0; i < Priority.values().length; i++) {
      fresh.add(new FairQueue<>());
    }
  }

  void add(S sequence) {
    queue(sequence).add(sequence);
    freshCount++;
  }

  void addAgain(S sequence) {
    again.add(sequence);
  }

  private FairQueue<S> queue(S sequence) {
    return fresh.get(sequence.priority().ordinal());
  }

  @Nullable S peek() {
    S returning = again.isEmpty() ? null : again.first();
    int atLeast = returning == null ? 0 : returning.priority().ordinal() + 1;
    for (int i = fresh.size() - 1; i >= atLeast; i--) {
      S next = fresh.get(i).peek();
      if (next != null) {
        return next;
      }
    }
    return returning;
  }

  /** Takes out what {@link #peek} gave. */
  void served(S sequence) {
    if (!again.remove(sequence)) {
      queue(sequence).served(sequence);
      freshCount--;
    }
  }

  void remove(S sequence) {
    if (!again.remove(sequence)) {
      queue(sequence).remove(sequence);
      freshCount--;
    }
  }

  /** Requests that wait for their first admission. */
  int fresh() {
    return freshCount;
  }

  int size() {
    return freshCount + again.size();
  }
}
