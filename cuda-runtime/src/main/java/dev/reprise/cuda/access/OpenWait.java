package dev.reprise.cuda.access;

import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A wait of a stream for a number in memory that no write seen so far explains: a later write, a
 * kernel or the host will end it. Guarded by {@link Ordering#LOCK}.
 */
final class OpenWait {

  private final Timeline timeline;
  private final long tick;
  private final long offset;
  private final LongPredicate met;
  private @Nullable Clock cause;

  OpenWait(Timeline timeline, long tick, long offset, LongPredicate met) {
    this.timeline = timeline;
    this.tick = tick;
    this.offset = offset;
    this.met = met;
  }

  Timeline timeline() {
    return timeline;
  }

  long tick() {
    return tick;
  }

  /** What precedes the write that ended the wait; null while none is known. */
  @Nullable Clock cause() {
    return cause;
  }

  boolean isEndedBy(long writeOffset, long value) {
    return writeOffset == offset && met.test(value);
  }

  void endedBy(Clock write) {
    cause = write;
  }
}
