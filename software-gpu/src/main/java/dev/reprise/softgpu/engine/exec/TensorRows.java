package dev.reprise.softgpu.engine.exec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which rows of a tensor a copy takes: for each the coordinates of its first element, in the order
 * of shared memory. They may lie outside.
 */
final class TensorRows {
  private static final int FOUR = 4;
  private static final int WIDE_PIXELS = 128;

  private TensorRows() {}

  /**
   * The rows of a copy that {@link TensorRules} allow.
   *
   * @param at coordinates of the instruction
   * @param more its offsets, or halo and offset
   */
  static List<long[]> of(TensorMap map, TensorMode mode, int[] at, int[] more) {
    if (mode == TensorMode.FOUR_ROWS) {
      return four(at);
    }
    return switch (map.region()) {
      case TensorRegion.Tile t -> tile(map, t.box(), at);
      case TensorRegion.Column c when mode == TensorMode.IM2COL -> column(map, c, at, more);
      case TensorRegion.Column c -> wide(map, c, at, more[1]);
    };
  }

  /** How many rows that are; more than a list can have, if the map says so. */
  static double count(TensorMap map, TensorMode mode) {
    if (mode == TensorMode.FOUR_ROWS) {
      return FOUR;
    }
    return switch (map.region()) {
      case TensorRegion.Tile t -> {
        double rows = 1;
        for (int k = 1; k < map.rank(); k++) {
          rows *= Math.ceilDiv(t.box()[k], map.step(k));
        }
        yield rows;
      }
      case TensorRegion.Column c -> pixels(c);
    };
  }

  private static int pixels(TensorRegion.Column c) {
    return c.mode() == TensorMode.IM2COL_W_128 ? WIDE_PIXELS : c.pixels();
  }

  private static List<long[]> tile(TensorMap map, int[] box, int[] at) {
    int rank = map.rank();
    List<long[]> rows = new ArrayList<>();
    int[] index = new int[rank];
    int k;
    do {
      long[] row = new long[rank];
      for (int d = 0; d < rank; d++) {
        row[d] = at[d] + (long) index[d] * map.step(d);
      }
      rows.add(row);
      for (k = 1; k < rank; k++) {
        index[k]++;
        if (index[k] * map.step(k) < box[k]) {
          break;
        }
        index[k] = 0;
      }
    } while (k < rank);
    return rows;
  }

  private static List<long[]> four(int[] at) {
    List<long[]> rows = new ArrayList<>();
    for (int k = 1; k <= FOUR; k++) {
      rows.add(new long[] {at[0], at[k]});
    }
    return rows;
  }

  /** The base of the filter goes through its box, image after image; the offsets are added. */
  private static List<long[]> column(
      TensorMap map, TensorRegion.Column c, int[] at, int[] offsets) {
    int last = map.rank() - 1;
    List<long[]> rows = new ArrayList<>();
    long[] base = Arrays.stream(at).asLongStream().toArray();
    for (int n = 0; n < c.pixels(); n++) {
      long[] row = base.clone();
      for (int k = 0; k < offsets.length; k++) {
        row[k + 1] += offsets[k];
      }
      rows.add(row);
      int k = 1;
      for (; k < last; k++) {
        base[k] += map.step(k);
        if (base[k] <= greatest(map, c, k)) {
          break;
        }
        base[k] = c.lower()[k - 1];
      }
      if (k == last) {
        base[last]++;
      }
    }
    return rows;
  }

  /** Along the innermost dimension of an image, and then in the same row of the next image. */
  private static List<long[]> wide(TensorMap map, TensorRegion.Column c, int[] at, int offset) {
    int last = map.rank() - 1;
    List<long[]> rows = new ArrayList<>();
    long[] row = Arrays.stream(at).asLongStream().toArray();
    row[1] += offset;
    for (int n = 0; n < pixels(c); n++) {
      rows.add(row.clone());
      row[1] += map.step(1);
      if (row[1] > greatest(map, c, 1) + offset) {
        row[1] = (long) c.lower()[0] + offset;
        row[last]++;
      }
    }
    return rows;
  }

  /** The last place of the box of a column along a dimension. */
  static long greatest(TensorMap map, TensorRegion.Column c, int dimension) {
    return map.extents()[dimension] - 1 + c.upper()[dimension - 1];
  }
}
