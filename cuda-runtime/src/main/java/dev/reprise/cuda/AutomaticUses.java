package dev.reprise.cuda;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** What one operation does to buffers with automatic order; used by one thread. */
final class AutomaticUses {

  private final SortedMap<AutomaticOrder, Access> orders =
      new TreeMap<>(Comparator.comparingLong(AutomaticOrder::id));

  /** Adds a use, which matters only if the memory has automatic order. */
  AutomaticUses add(RegionHandle memory, Access access) {
    AutomaticOrder order = memory.order();
    if (order != null) {
      orders.merge(order, access, Access::and);
    }
    return this;
  }

  /** Adds uses. */
  AutomaticUses addAll(List<KernelUse> uses) {
    uses.forEach(use -> add(use.place().handle(), use.access()));
    return this;
  }

  /**
   * Issues the operation to a stream, behind the uses that must come before it; the lock of the
   * stream's clock is held, and the stream is not captured.
   */
  void issue(StreamHandle stream, Runnable operation) {
    if (orders.isEmpty()) {
      operation.run();
      return;
    }
    AutomaticUses outer = stream.ordered();
    if (outer != null) {
      outer.checkHas(orders.keySet());
    }
    List<AutomaticOrder.Turn> turns = new ArrayList<>();
    stream.ordered(outer == null ? this : outer);
    try {
      // In one order everywhere, so that no two operations wait for each other's locks.
      orders.forEach((order, access) -> turns.add(order.turn(stream, access)));
      turns.forEach(AutomaticOrder.Turn::await);
      operation.run();
      Cleanup.all(
          turns.stream().map(turn -> (Cleanup.Step) turn::issued).toArray(Cleanup.Step[]::new));
    } finally {
      turns.forEach(AutomaticOrder.Turn::end);
      stream.ordered(outer);
    }
  }

  /** Refuses what an operation inside of this one would have to lock out of turn. */
  private void checkHas(Set<AutomaticOrder> inner) {
    for (AutomaticOrder order : inner) {
      if (!orders.containsKey(order)) {
        throw new IllegalStateException(
            "Buffer '%s' has automatic order and is used inside Stream.declare, which does not name it; declare its use as well."
                .formatted(order.label()));
      }
    }
  }
}
