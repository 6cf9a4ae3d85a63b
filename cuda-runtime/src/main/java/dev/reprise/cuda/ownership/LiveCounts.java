package dev.reprise.cuda.ownership;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** How many driver objects of each kind this process holds. */
public final class LiveCounts {

  private static final AtomicIntegerArray COUNTS =
      new AtomicIntegerArray(ResourceKind.values().length);

  private LiveCounts() {}

  /** Objects of a kind that were created and not yet released. */
  public static int of(ResourceKind kind) {
    return COUNTS.get(kind.ordinal());
  }

  static void created(ResourceKind kind) {
    COUNTS.incrementAndGet(kind.ordinal());
  }

  static void released(ResourceKind kind) {
    COUNTS.decrementAndGet(kind.ordinal());
  }
}
