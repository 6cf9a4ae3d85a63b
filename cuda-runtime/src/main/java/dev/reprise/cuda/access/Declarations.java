package dev.reprise.cuda.access;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** The uses of many operations as those of one. */
public final class Declarations {

  private Declarations() {}

  /**
   * The uses without those that another stands for.
   *
   * @param whole what the operations are a part of
   */
  public static List<DeclaredUse> combined(String whole, List<DeclaredUse> uses) {
    Map<AccessHistory, List<DeclaredUse>> byMemory = new IdentityHashMap<>();
    List<DeclaredUse> combined = new ArrayList<>();
    for (DeclaredUse use : uses) {
      List<DeclaredUse> known = byMemory.computeIfAbsent(use.memory(), memory -> new ArrayList<>());
      if (known.stream().noneMatch(other -> other.standsFor(use))) {
        known.removeIf(use::standsFor);
        known.add(use);
      }
    }
    byMemory.values().forEach(known -> known.forEach(use -> combined.add(partOf(whole, use))));
    return combined;
  }

  private static DeclaredUse partOf(String whole, DeclaredUse use) {
    return new DeclaredUse(
        use.memory(),
        use.extent(),
        use.reads(),
        use.writes(),
        use.operation() + " in " + whole,
        use.argument(),
        use.stream(),
        use.added());
  }
}
