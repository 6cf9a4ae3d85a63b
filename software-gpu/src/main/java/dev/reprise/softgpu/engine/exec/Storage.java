package dev.reprise.softgpu.engine.exec;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Which registers of a program lie in the same array. PTX has a register of its own for each value;
 * registers whose values are never wanted at the same time share an array, so that the arrays of a
 * warp stay in the first cache (linear scan: M. Poletto, V. Sarkar, "Linear scan register
 * allocation", TOPLAS 21, 1999).
 *
 * @param ints for each int register: number of its array; no two constants share one
 */
public record Storage(int[] ints, int[] floats, int[] longs, int[] doubles) {

  /** An array for each register. */
  static Storage unshared(int ints, int floats, int longs, int doubles) {
    return new Storage(each(ints), each(floats), each(longs), each(doubles));
  }

  private static int[] each(int count) {
    int[] all = new int[count];
    Arrays.setAll(all, k -> k);
    return all;
  }

  /**
   * For a program with that many registers of each class.
   *
   * @param liveness null where it is not known, which shares nothing
   */
  public static Storage of(
      @Nullable Liveness liveness, int ints, int floats, int longs, int doubles) {
    if (liveness == null) {
      return unshared(ints, floats, longs, doubles);
    }
    Map<Register, Liveness.Range> ranges = liveness.ranges();
    return new Storage(
        shared(ranges, RegisterKind.INT, ints),
        shared(ranges, RegisterKind.FLOAT, floats),
        shared(ranges, RegisterKind.LONG, longs),
        shared(ranges, RegisterKind.DOUBLE, doubles));
  }

  private record Holder(int array, int last) {}

  private static int[] shared(Map<Register, Liveness.Range> ranges, RegisterKind kind, int count) {
    List<Map.Entry<Register, Liveness.Range>> sorted =
        new ArrayList<>(ranges.entrySet().stream().filter(e -> e.getKey().kind() == kind).toList());
    sorted.sort(
        Comparator.comparingInt((Map.Entry<Register, Liveness.Range> e) -> e.getValue().first())
            .thenComparingInt(e -> e.getKey().index()));
    int[] arrays = new int[count];
    Arrays.fill(arrays, -1);
    PriorityQueue<Holder> holding = new PriorityQueue<>(Comparator.comparingInt(Holder::last));
    // What was used last goes first: it is the most likely to be in the cache.
    ArrayDeque<Integer> free = new ArrayDeque<>();
    int next = 0;
    for (Map.Entry<Register, Liveness.Range> e : sorted) {
      while (!holding.isEmpty() && holding.peek().last() < e.getValue().first()) {
        free.push(holding.poll().array());
      }
      int array = free.isEmpty() ? next++ : free.pop();
      arrays[e.getKey().index()] = array;
      holding.add(new Holder(array, e.getValue().last()));
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
