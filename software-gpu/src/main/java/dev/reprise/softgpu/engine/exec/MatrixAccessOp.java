package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.reprise.softgpu.memory.HostMemory;

/**
 * {@code wmma.load} and {@code wmma.store}. How the elements lie in the fragment is up to the
 * implementation.
 */
public final class MatrixAccessOp extends SyncOp {
  /**
   * Where the units of a fragment lie in memory. A unit is an element, or a word of 32 bits for
   * elements of less than a byte.
   *
   * @param bits of a unit in memory
   * @param perUnit elements in a unit: the stride counts elements
   * @param columns units in a row of the matrix as it is stored
   * @param swapped whether a place counts along the stored columns
   */
  public record Memory(int bits, int perUnit, int rows, int columns, boolean swapped) {}

  private final LaneAccess access;
  private final Memory memory;
  private final int[] registers;
  private final int[] places;
  private final int stride;
  private final boolean store;

  /**
   * @param registers int arrays, double arrays for units of 64 bits
   * @param places of unit u of lane l at {@code l * units + u}: row times columns plus column of
   *     the logical matrix
   * @param stride int array with the elements from one stored line to the next
   */
  public MatrixAccessOp(
      MemoryAddress address,
      Memory memory,
      int[] registers,
      int[] places,
      int stride,
      boolean store,
      int members) {
    super(members);
    access = new LaneAccess(address, store ? "write" : "read");
    this.memory = memory;
    this.registers = registers;
    this.places = places;
    this.stride = stride;
    this.store = store;
  }

  @Override
  protected void together(Warp w, int set, int named) {
    int units = places.length / Warp.LANES;
    int bytes = memory.bits / 8;
    int perRegister = Math.max(1, 32 / memory.bits);
    int[] strides = w.i[stride];
    for (int u = 0; u < units; u++) {
      for (int lane = 0; lane < Warp.LANES; lane++) {
        int place = places[lane * units + u];
        int row = place / memory.columns;
        int column = place % memory.columns;
        long line = memory.swapped ? column : row;
        long inLine = memory.swapped ? row : column;
        long lineBytes = (long) strides[lane] * memory.bits / memory.perUnit / 8;
        w.extra[lane] = line * lineBytes + inLine * bytes;
      }
      long[] at = access.resolve(w, set, this);
      int register = registers[u / perRegister];
      int shift = u % perRegister * memory.bits;
      for (int rest = set; rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        move(w, register, lane, shift, at[lane]);
      }
    }
  }

  private void move(Warp w, int register, int lane, int shift, long at) {
    if (memory.bits == 64) {
      if (store) {
        HostMemory.ALL.set(JAVA_DOUBLE_UNALIGNED, at, w.d[register][lane]);
      } else {
        w.d[register][lane] = HostMemory.ALL.get(JAVA_DOUBLE_UNALIGNED, at);
      }
      return;
    }
    int[] r = w.i[register];
    if (store) {
      switch (memory.bits) {
        case 8 -> HostMemory.ALL.set(JAVA_BYTE, at, (byte) (r[lane] >>> shift));
        case 16 -> HostMemory.ALL.set(JAVA_SHORT_UNALIGNED, at, (short) (r[lane] >>> shift));
        default -> HostMemory.ALL.set(JAVA_INT_UNALIGNED, at, r[lane]);
      }
      return;
    }
    int value =
        switch (memory.bits) {
          case 8 -> HostMemory.ALL.get(JAVA_BYTE, at) & 0xff;
          case 16 -> HostMemory.ALL.get(JAVA_SHORT_UNALIGNED, at) & 0xffff;
          default -> HostMemory.ALL.get(JAVA_INT_UNALIGNED, at);
        };
    int keep = memory.bits == 32 ? 0 : ~((1 << memory.bits) - 1 << shift);
    r[lane] = r[lane] & keep | value << shift;
  }
}
