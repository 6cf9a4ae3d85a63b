package dev.reprise.cli.measure;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/** Collections of garbage from its making on, as the collectors of this JVM count them. */
public final class GcPauses {

  private record Count(long collections, long millis) {
    static Count of(GarbageCollectorMXBean bean) {
      // Both are -1 where a collector does not tell.
      return new Count(
          Math.max(0, bean.getCollectionCount()), Math.max(0, bean.getCollectionTime()));
    }
  }

  private final Map<String, Count> before = counts();

  private static Map<String, Count> counts() {
    Map<String, Count> counts = new LinkedHashMap<>();
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      counts.put(bean.getName(), Count.of(bean));
    }
    return counts;
  }

  /** A row for each collector. */
  public Table table() {
    Table table =
        new Table(
            "gc",
            "Collections of garbage in the JVM meanwhile",
            Table.column("collector", "collector"),
            Table.column("collections", "collections"),
            Table.column("total_ms", "total, ms"));
    counts()
        .forEach((name, now) -> {
          Count then = before.getOrDefault(name, new Count(0, 0));
          table.add(name, now.collections - then.collections, now.millis - then.millis);
        });
    return table;
  }
}
