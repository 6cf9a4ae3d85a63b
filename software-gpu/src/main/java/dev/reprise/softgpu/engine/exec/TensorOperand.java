package dev.reprise.softgpu.engine.exec;

/** The operands {@code [map, {coordinates}]} and {@code {offsets}} of a copy of a tensor. */
public final class TensorOperand {
  private final TensorMapAccess map;
  private final TensorMode mode;
  private final int[] coordinates;
  private final int[] more;

  /**
   * @param map of 64 bytes
   * @param coordinates int arrays, the innermost dimension first
   * @param more int arrays with the offsets of {@code .im2col}, or the halo and the offset of
   *     {@code .im2col::w}; none for stores
   */
  public TensorOperand(MemoryAddress map, TensorMode mode, int[] coordinates, int[] more) {
    this.map = new TensorMapAccess(map, "read");
    this.mode = mode;
    this.coordinates = coordinates;
    this.more = more;
  }

  /** The map that a lane names; faults are those of {@code op}. */
  TensorMap map(Warp w, int lane, Op op) {
    TensorMap found = TensorMap.read(map.at(w, lane, op));
    if (found == null) {
      throw fault(op, lane, "copies what no tensor map is made of");
    }
    return found;
  }

  /**
   * What the copy of a lane takes; faults are those of {@code op}.
   *
   * @param stores whether it goes to global memory
   */
  TensorBox box(Warp w, int lane, TensorMap of, Op op, boolean stores) {
    int[] at = values(w, lane, coordinates);
    int[] offsets = values(w, lane, more);
    for (int k = 0; k < offsets.length; k++) {
      offsets[k] &= 0xffff;
    }
    String wrong = TensorRules.broken(of, mode, at, offsets, stores);
    if (wrong != null) {
      throw fault(op, lane, wrong);
    }
    return new TensorBox(of, TensorRows.of(of, mode, at, offsets));
  }

  private static int[] values(Warp w, int lane, int[] registers) {
    int[] values = new int[registers.length];
    for (int k = 0; k < values.length; k++) {
      values[k] = w.i[registers[k]][lane];
    }
    return values;
  }

  private static LaneFault fault(Op op, int lane, String what) {
    return new LaneFault(719, op.line, lane, 0, op.text + " " + what);
  }
}
