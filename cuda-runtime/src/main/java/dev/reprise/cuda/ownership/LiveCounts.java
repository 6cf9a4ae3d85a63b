package dev.reprise.cuda.ownership;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

/** How many driver objects of each kind this process holds. */
public final class LiveCounts {

  private static final Map<ResourceKind, AtomicInteger> COUNTS =
      Arrays.stream(ResourceKind.values())
          .collect(Collectors.toUnmodifiableMap(Function.identity(), kind -> new AtomicInteger()));

  private LiveCounts() {}

  /** Objects of a kind that were created and not yet released. */
  public static int of(ResourceKind kind) {
    return counter(kind).get();
  }

  static void created(ResourceKind kind) {
    counter(kind).incrementAndGet();
  }

  static void released(ResourceKind kind) {
    counter(kind).decrementAndGet();
  }

  private static AtomicInteger counter(ResourceKind kind) {
    return Objects.requireNonNull(COUNTS.get(kind));
  }
}
