package dev.reprise.cuda.access;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Numbers in one region that streams write and wait for. A wait comes after every write seen so far
 * that ends it: which of them did is not known, so that none is reported wrongly. Guarded by {@link
 * Ordering#LOCK}.
 */
final class SignalValues {

  private static final int LIMIT = 64;

  private record Write(long offset, long value, Clock before) {}

  private final List<Write> writes = new ArrayList<>();
  private final List<OpenWait> waits = new ArrayList<>();

  /** Precedes writes that are too old to be kept one by one. */
  private @Nullable Clock older;

  void written(long offset, long value, Clock before) {
    writes.add(new Write(offset, value, before));
    if (writes.size() > LIMIT) {
      Clock all = older == null ? new Clock() : older;
      all.join(writes.removeFirst().before());
      older = all;
    }
    waits.removeIf(wait -> {
      boolean ended = wait.isEndedBy(offset, value);
      if (ended) {
        wait.endedBy(before);
      }
      return ended;
    });
  }

  /** What precedes a write that ends a wait; null if none is known that does. */
  @Nullable Clock ending(long offset, LongPredicate met) {
    Clock all = null;
    for (Write write : writes) {
      if (write.offset() == offset && met.test(write.value())) {
        all = all == null ? new Clock() : all;
        all.join(write.before());
      }
    }
    if (all != null && older != null) {
      all.join(older);
    }
    return all;
  }

  void await(OpenWait wait) {
    waits.add(wait);
    if (waits.size() > LIMIT) {
      waits.removeFirst();
    }
  }
}
