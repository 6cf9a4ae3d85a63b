package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.reprise.softgpu.memory.HostMemory;

/**
 * {@code ldmatrix} and {@code stmatrix} of 8 x 8 matrices with elements of 16 bits: lane 8 j + r
 * gives the address of row r of matrix j; lane l holds elements 2 (l mod 4) and the next of row l /
 * 4 of each, or of column l / 4 where they are transposed.
 */
public final class MatrixRowsOp extends SyncOp {
  private final LaneAccess rows;
  private final int[] registers;
  private final boolean transposed;
  private final boolean store;

  /**
   * @param address of a row, 16 bytes
   * @param registers int arrays, one for each matrix
   */
  public MatrixRowsOp(
      MemoryAddress address, int[] registers, boolean transposed, boolean store, int members) {
    super(members);
    rows = new LaneAccess(address, store ? "write" : "read");
    this.registers = registers;
    this.transposed = transposed;
    this.store = store;
  }

  @Override
  protected void together(Warp w, int set, int named) {
    int givers = registers.length == 4 ? -1 : (1 << 8 * registers.length) - 1;
    long[] at = rows.resolvePlain(w, givers, this);
    for (int j = 0; j < registers.length; j++) {
      int[] r = w.i[registers[j]];
      for (int lane = 0; lane < Warp.LANES; lane++) {
        int line = 8 * j + (lane >> 2);
        int pair = lane & 3;
        if (!transposed) {
          long from = at[line] + 4L * pair;
          if (store) {
            HostMemory.ALL.set(JAVA_INT_UNALIGNED, from, r[lane]);
          } else {
            r[lane] = HostMemory.ALL.get(JAVA_INT_UNALIGNED, from);
          }
          continue;
        }
        long low = at[8 * j + 2 * pair] + 2L * (lane >> 2);
        long high = at[8 * j + 2 * pair + 1] + 2L * (lane >> 2);
        if (store) {
          HostMemory.ALL.set(JAVA_SHORT_UNALIGNED, low, (short) r[lane]);
          HostMemory.ALL.set(JAVA_SHORT_UNALIGNED, high, (short) (r[lane] >>> 16));
        } else {
          r[lane] =
              HostMemory.ALL.get(JAVA_SHORT_UNALIGNED, low) & 0xffff
                  | HostMemory.ALL.get(JAVA_SHORT_UNALIGNED, high) << 16;
        }
      }
    }
  }
}
