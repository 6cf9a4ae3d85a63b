package dev.reprise.softgpu.engine.exec;

import java.lang.foreign.MemorySegment;

/** {@code tensormap.replace}: changes a field of a tensor map in memory. */
public final class TensorMapReplaceOp extends Op {
  private final TensorMapAccess map;
  private final TensorMapField field;
  private final int ordinal;
  private final int value;

  /**
   * @param map of 64 bytes
   * @param ordinal dimension, where each has such a field
   * @param value long array for fields of 64 bits, else int array
   */
  public TensorMapReplaceOp(MemoryAddress map, TensorMapField field, int ordinal, int value) {
    this.map = new TensorMapAccess(map, "write");
    this.field = field;
    this.ordinal = ordinal;
    this.value = value;
  }

  @Override
  public void run(Warp w, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      MemorySegment at = map.at(w, lane, this);
      String wrong = TensorMap.begin(at);
      if (wrong != null) {
        throw new LaneFault(719, line, lane, 0, text + " " + wrong);
      }
      long v = field.wide() ? w.l[value][lane] : Integer.toUnsignedLong(w.i[value][lane]);
      if (!field.allows(v)) {
        throw new LaneFault(
            719, line, lane, 0, "%s gets %d, not %s".formatted(text, v, field.range()));
      }
      field.set(at, ordinal, v);
    }
  }
}
