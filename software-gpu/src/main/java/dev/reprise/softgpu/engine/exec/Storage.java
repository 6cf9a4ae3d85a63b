package dev.reprise.softgpu.engine.exec;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Which registers of a program lie in the same array. PTX has a register of its own for each value;
 * registers whose values are never wanted at the same time share an array, so that the arrays of a
 * warp stay in the first cache (linear scan: M. Poletto, V. Sarkar, "Linear scan register
 * allocation", TOPLAS 21, 1999).
 *
 * @param ints for each int register: number of its array
 */
record Storage(int[] ints, int[] floats, int[] longs, int[] doubles) {

  /**
   * @param liveness null where it is not known: nothing is shared
   */
  static Storage of(@Nullable Liveness liveness, Program program) {
    List<Liveness.Range> ranges = liveness == null ? List.of() : liveness.ranges();
    return new Storage(
        shared(ranges, RegisterKind.INT, program.ints().length),
        shared(ranges, RegisterKind.FLOAT, program.floats().length),
        shared(ranges, RegisterKind.LONG, program.longs().length),
        shared(ranges, RegisterKind.DOUBLE, program.doubles().length));
  }

  private record Holder(int array, int last) {}

  private static int[] shared(List<Liveness.Range> ranges, RegisterKind kind, int count) {
    List<Liveness.Range> sorted =
        ranges.stream()
            .filter(r -> r.register().kind() == kind)
            .sorted(
                Comparator.comparingInt(Liveness.Range::first)
                    .thenComparingInt(r -> r.register().index()))
            .toList();
    int[] arrays = new int[count];
    Arrays.fill(arrays, -1);
    PriorityQueue<Holder> holding = new PriorityQueue<>(Comparator.comparingInt(Holder::last));
    // What was used last goes first: it is the most likely to be in the cache.
    ArrayDeque<Integer> free = new ArrayDeque<>();
    int next = 0;
    for (Liveness.Range range : sorted) {
      while (!holding.isEmpty() && holding.peek().last() < range.first()) {
        free.push(holding.poll().array());
      }
      int array = free.isEmpty() ? next++ : free.pop();
      arrays[range.register().index()] = array;
      holding.add(new Holder(array, range.last()));
    }
    // Constants, special registers and what no operation touches.
    for (int k = 0; k < count; k++) {
      if (arrays[k] < 0) {
        arrays[k] = next++;
      }
    }
    return arrays;
  }
}
