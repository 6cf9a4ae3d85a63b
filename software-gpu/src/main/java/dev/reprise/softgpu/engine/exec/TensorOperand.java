package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.memory.HostMemory;

/** The operand {@code [map, {coordinates}]} of a copy of a tensor. */
public final class TensorOperand {
  private static final int HALF = TensorMap.BYTES / 2;

  private final LaneAccess map;
  private final int[] coordinates;

  /**
   * @param map of 64 bytes
   * @param coordinates int arrays, the innermost dimension first
   */
  public TensorOperand(MemoryAddress map, int... coordinates) {
    this.map = new LaneAccess(map, "read");
    this.coordinates = coordinates;
  }

  /** The map that a lane names; faults are those of {@code op}. */
  TensorMap map(Warp w, int lane, Op op) {
    java.util.Arrays.fill(w.extra, 0);
    long at = map.resolve(w, 1 << lane, op)[lane];
    w.extra[lane] = HALF;
    map.resolve(w, 1 << lane, op);
    w.extra[lane] = 0;
    TensorMap found = TensorMap.read(HostMemory.ALL.asSlice(at, TensorMap.BYTES));
    if (found == null || found.rank() != coordinates.length) {
      String what =
          found == null
              ? "what cuTensorMapEncodeTiled has not made"
              : "a tensor of %d dimensions by %d coordinates"
                  .formatted(found.rank(), coordinates.length);
      throw new LaneFault(719, op.line, lane, 0, op.text + " copies " + what);
    }
    return found;
  }

  /** The box of the map at the coordinates of a lane. */
  TensorBox box(Warp w, int lane, TensorMap of) {
    int[] at = new int[coordinates.length];
    for (int k = 0; k < at.length; k++) {
      at[k] = w.i[coordinates[k]][lane];
    }
    return new TensorBox(of, at);
  }
}
