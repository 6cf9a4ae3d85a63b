package dev.reprise.softgpu.engine.exec;

import org.jspecify.annotations.Nullable;

/**
 * What a copy must keep to that depends on its map and the values of its operands (PTX ISA,
 * "Tensors" and "Restriction on Tensor Copy instructions").
 */
final class TensorRules {
  private static final int MOST_W_OFFSET = 31;
  private static final int GAP_ALIGNMENT = 32;

  /** No block has so much shared memory. */
  private static final long MOST_BYTES = 1 << 20;

  /** Bits of an offset, for images of one to three dimensions. */
  private static final int[] OFFSET_BITS = {16, 8, 5};

  private TensorRules() {}

  /**
   * What a copy does wrong, as it follows its name; null for nothing.
   *
   * @param at coordinates
   * @param more offsets, or halo and offset
   * @param stores whether it goes to global memory
   */
  static @Nullable String broken(
      TensorMap map, TensorMode mode, int[] at, int[] more, boolean stores) {
    String wrong = ofMap(map, mode, at.length);
    if (wrong == null) {
      wrong = stores ? ofStore(map, at) : ofLoad(map, mode);
    }
    if (wrong == null && at[0] % map.type().unit() != 0) {
      return "begins at element %d of %s, no multiple of %d"
          .formatted(at[0], map.type(), map.type().unit());
    }
    if (wrong == null && map.region() instanceof TensorRegion.Column c) {
      return mode == TensorMode.IM2COL ? ofColumn(map, c, at, more) : ofWide(map, c, at, more);
    }
    return wrong;
  }

  private static @Nullable String ofMap(TensorMap map, TensorMode mode, int coordinates) {
    String flaw = flaw(map);
    if (flaw != null) {
      return "copies by a map " + flaw;
    }
    double bytes = TensorRows.count(map, mode) * map.type().bytes(map.region().row());
    if (bytes > MOST_BYTES) {
      return "copies %.0f bytes, more than shared memory has".formatted(bytes);
    }
    if (map.region().mode() != mode.ofMap()) {
      return "copies in mode .%s by a map that is made for .%s"
          .formatted(mode.text(), map.region().mode().text());
    }
    int wanted = mode == TensorMode.FOUR_ROWS ? 2 : coordinates;
    if (map.rank() != wanted) {
      return "copies a tensor of %d dimensions by %s"
          .formatted(
              map.rank(),
              mode == TensorMode.FOUR_ROWS ? "four rows" : coordinates + " coordinates");
    }
    if (mode == TensorMode.FOUR_ROWS
        && map.region() instanceof TensorRegion.Tile t
        && t.box()[1] != 1) {
      return "copies four rows by a box of %d rows, which must be 1".formatted(t.box()[1]);
    }
    return null;
  }

  /** What is wrong with a map in itself, which only those have that kernels have changed. */
  private static @Nullable String flaw(TensorMap map) {
    TensorElement type = map.type();
    int row = map.region().row();
    long bytes = type.bytes(row);
    if (row < 1 || type.bits() * row % (BulkAccess.UNIT * Byte.SIZE) != 0) {
      return "of rows of %d elements of %s, which are no multiple of %d bytes"
          .formatted(row, type, BulkAccess.UNIT);
    }
    if (map.swizzle() != TensorSwizzle.NONE && bytes > map.swizzle().span()) {
      return "of rows of %d bytes, which the swizzle %s does not span"
          .formatted(bytes, map.swizzle());
    }
    if (map.fillsNan() && !type.floating()) {
      return "of elements of " + type + ", which cannot be NaN";
    }
    if (type.gap()) {
      boolean aligned = map.address() % GAP_ALIGNMENT == 0;
      for (long stride : map.strides()) {
        aligned &= stride % GAP_ALIGNMENT == 0;
      }
      if (!aligned || row != type.unit() || map.extents()[0] % type.unit() != 0) {
        return "of %s, whose rows have %d elements and begin at multiples of %d bytes"
            .formatted(type, type.unit(), GAP_ALIGNMENT);
      }
    }
    for (int k = 1; k < map.rank(); k++) {
      if (map.step(k) < 1 || (map.region() instanceof TensorRegion.Tile t && t.box()[k] < 1)) {
        return "without a box or a step of dimension " + k;
      }
    }
    return null;
  }

  private static @Nullable String ofLoad(TensorMap map, TensorMode mode) {
    TensorSwizzle swizzle = map.swizzle();
    if (map.type() == TensorElement.U6_GAP_4 && swizzle == TensorSwizzle.B128_ATOM_64) {
      return "loads elements of 6 bits with a swizzle of 64 bytes, which is for stores only";
    }
    boolean wide = mode == TensorMode.IM2COL_W || mode == TensorMode.IM2COL_W_128;
    return wide && swizzle == TensorSwizzle.NONE ? "needs a swizzle" : null;
  }

  private static @Nullable String ofStore(TensorMap map, int[] at) {
    if (map.type() == TensorElement.U4_GAP_8) {
      return "stores elements of 4 bits with gaps, which can only be loaded";
    }
    if (map.swizzle() == TensorSwizzle.B128_ATOM_32_FLIP_8) {
      return "stores with a swizzle that exchanges 8 bytes, which is for loads only";
    }
    for (int k = 0; k < at.length; k++) {
      if (at[k] < 0) {
        return "stores at coordinate %d of dimension %d, which must not be negative"
            .formatted(at[k], k);
      }
    }
    if (map.region() instanceof TensorRegion.Column c) {
      for (int k = 0; k < c.lower().length; k++) {
        if (c.lower()[k] < 0 || c.upper()[k] > 0) {
          return "stores to pixels from %d to %d of dimension %d, which must stay inside"
              .formatted(c.lower()[k], TensorRows.greatest(map, c, k + 1), k + 1);
        }
      }
    }
    return null;
  }

  private static @Nullable String ofColumn(
      TensorMap map, TensorRegion.Column c, int[] at, int[] offsets) {
    for (int k = 0; k < c.lower().length; k++) {
      long greatest = TensorRows.greatest(map, c, k + 1);
      if (at[k + 1] < c.lower()[k] || at[k + 1] > greatest) {
        return "begins at %d of dimension %d, which is not in the box from %d to %d"
            .formatted(at[k + 1], k + 1, c.lower()[k], greatest);
      }
    }
    int bits = OFFSET_BITS[c.lower().length - 1];
    for (int offset : offsets) {
      if (offset >>> bits != 0) {
        return "has the offset %d, not 0 to %d".formatted(offset, (1 << bits) - 1);
      }
    }
    return null;
  }

  private static @Nullable String ofWide(
      TensorMap map, TensorRegion.Column c, int[] at, int[] more) {
    if (more[0] != 0) {
      return "has a halo of " + more[0] + " pixels, which the software GPU does not support";
    }
    if (more[1] > MOST_W_OFFSET) {
      return "has the offset %d, not 0 to %d".formatted(more[1], MOST_W_OFFSET);
    }
    long greatest = TensorRows.greatest(map, c, 1);
    return at[1] > greatest
        ? "begins at %d of dimension 1, behind its box, which ends at %d".formatted(at[1], greatest)
        : null;
  }
}
