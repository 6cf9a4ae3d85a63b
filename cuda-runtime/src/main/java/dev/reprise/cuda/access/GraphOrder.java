package dev.reprise.cuda.access;

import dev.reprise.cuda.diagnostics.UnorderedAccess;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The order of the nodes of one graph, by its edges: two uses of one region are ordered if a path
 * leads from the one node to the other.
 */
public final class GraphOrder {

  private record NodeUse(int node, DeclaredUse use) {}

  private final String label;
  private final Map<Long, Integer> numbers = new HashMap<>();
  private final List<List<Long>> dependencies = new ArrayList<>();
  private final List<NodeUse> uses = new ArrayList<>();

  /** A graph without nodes. */
  public GraphOrder(String label) {
    this.label = label;
  }

  /** Adds a node that runs behind others, which may be added later. */
  public void add(long node, List<Long> behind, List<DeclaredUse> what) {
    int number = dependencies.size();
    numbers.put(node, number);
    dependencies.add(behind);
    what.forEach(use -> uses.add(new NodeUse(number, use)));
  }

  /**
   * Reports the uses that no path orders.
   *
   * @throws dev.reprise.cuda.diagnostics.UnorderedAccessException if such graphs are refused
   */
  public void check(AccessChecker checker) {
    Map<AccessHistory, List<NodeUse>> byMemory = new IdentityHashMap<>();
    List<UnorderedAccess> findings = new ArrayList<>();
    BitSet[] before = ancestors();
    for (NodeUse second : uses) {
      List<NodeUse> known =
          byMemory.computeIfAbsent(second.use().memory(), memory -> new ArrayList<>());
      for (NodeUse first : known) {
        if (first.use().conflictsWith(second.use())
            && first.node() != second.node()
            && !before[first.node()].get(second.node())
            && !before[second.node()].get(first.node())
            && first.use().extent().overlaps(second.use().extent())) {
          findings.add(finding(first.use(), second.use()));
        }
      }
      known.add(second);
    }
    checker.found(findings);
  }

  /** For each node the nodes that precede it. A cycle, which the driver refuses, is cut. */
  private BitSet[] ancestors() {
    int count = dependencies.size();
    int[] missing = new int[count];
    List<List<Integer>> dependents = new ArrayList<>(count);
    for (int node = 0; node < count; node++) {
      dependents.add(new ArrayList<>());
    }
    BitSet[] before = new BitSet[count];
    for (int node = 0; node < count; node++) {
      before[node] = new BitSet(count);
      for (long behind : dependencies.get(node)) {
        Integer earlier = numbers.get(behind);
        if (earlier != null) {
          missing[node]++;
          dependents.get(earlier).add(node);
        }
      }
    }
    List<Integer> ready = new ArrayList<>();
    for (int node = 0; node < count; node++) {
      if (missing[node] == 0) {
        ready.add(node);
      }
    }
    while (!ready.isEmpty()) {
      int node = ready.removeLast();
      for (int later : dependents.get(node)) {
        before[later].or(before[node]);
        before[later].set(node);
        if (--missing[later] == 0) {
          ready.add(later);
        }
      }
    }
    return before;
  }

  private UnorderedAccess finding(DeclaredUse first, DeclaredUse second) {
    return new UnorderedAccess(
        AccessChecker.kind(first.writes(), second.writes()),
        second.memory().described(),
        described(first),
        described(second),
        "No path in graph '%s' leads from the one to the other. In a capture, fork or join the streams between them (Capture.fork, Capture.join); else add an edge (Graph.addEdge)."
            .formatted(label));
  }

  private static UnorderedAccess.Use described(DeclaredUse use) {
    AccessSite added = use.added();
    return new UnorderedAccess.Use(
        use.operation(),
        use.argument(),
        use.reads(),
        use.writes(),
        use.extent().from(),
        use.extent().to(),
        use.stream(),
        added == null ? new AccessSite("reported here") : added.shown(null));
  }
}
