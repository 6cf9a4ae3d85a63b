package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.LiveCounts;
import java.util.EnumMap;
import java.util.Map;

/** What this process holds of the driver: created and not yet released, of all devices. */
public final class LiveResources {

  private LiveResources() {}

  /** Objects of one kind, those closed but not yet released included. */
  public static int count(ResourceKind kind) {
    return LiveCounts.of(kind);
  }

  /** Objects of every kind. */
  public static Map<ResourceKind, Integer> snapshot() {
    Map<ResourceKind, Integer> counts = new EnumMap<>(ResourceKind.class);
    for (ResourceKind kind : ResourceKind.values()) {
      counts.put(kind, count(kind));
    }
    return counts;
  }
}
