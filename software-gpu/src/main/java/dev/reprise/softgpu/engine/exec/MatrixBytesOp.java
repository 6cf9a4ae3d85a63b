package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.reprise.softgpu.memory.HostMemory;

/**
 * {@code ldmatrix} and {@code stmatrix} of matrices with elements of a byte, in rows of 16 bytes.
 * Lane l holds four elements of a register in row l / 4 of the matrix, or of its upper or lower
 * half; a matrix of 16 rows lies in memory by columns.
 */
public final class MatrixBytesOp extends SyncOp {
  /** Rows and columns of a matrix. */
  public enum Shape {
    /** Loaded as it lies in memory. */
    M8N16(8, 1),
    /** Loaded from 16 columns, into two registers. */
    M16N16(16, 2),
    /** Stored as 8 columns. */
    M16N8(8, 1);

    private final int lines;
    private final int registers;

    Shape(int lines, int registers) {
      this.lines = lines;
      this.registers = registers;
    }

    /** Registers that hold a matrix. */
    public int registers() {
      return registers;
    }
  }

  private final LaneAccess lines;
  private final Shape shape;
  private final int bits;
  private final int[] registers;

  /**
   * @param address of a line of a matrix in memory, 16 bytes
   * @param bits of an element in memory: 8, or 6 or 4 of them packed from the start of the line
   * @param registers int arrays, those of one matrix after the other
   */
  public MatrixBytesOp(MemoryAddress address, Shape shape, int bits, int[] registers, int members) {
    super(members);
    lines = new LaneAccess(address, shape == Shape.M16N8 ? "write" : "read");
    this.shape = shape;
    this.bits = bits;
    this.registers = registers;
  }

  @Override
  protected void together(Warp w, int set, int named) {
    int matrices = registers.length / shape.registers;
    int givers = shape.lines * matrices == 32 ? -1 : (1 << shape.lines * matrices) - 1;
    long[] at = lines.resolvePlain(w, givers, this);
    for (int r = 0; r < registers.length; r++) {
      int[] values = w.i[registers[r]];
      int first = r / shape.registers * shape.lines;
      for (int lane = 0; lane < Warp.LANES; lane++) {
        int row = lane >> 2;
        int quarter = lane & 3;
        int word = 0;
        for (int k = 0; k < 4; k++) {
          switch (shape) {
            case M8N16 -> word |= load(at[first + row], 4 * quarter + k) << 8 * k;
            case M16N16 -> word |= load(at[first + 4 * quarter + k], row + 8 * (r & 1)) << 8 * k;
            case M16N8 -> {
              long to = at[first + 2 * quarter + (k & 1)] + row + 8L * (k >> 1);
              HostMemory.ALL.set(JAVA_BYTE, to, (byte) (values[lane] >>> 8 * k));
            }
          }
        }
        if (shape != Shape.M16N8) {
          values[lane] = word;
        }
      }
    }
  }

  /** Element k of a line. */
  private int load(long line, int k) {
    int bit = k * bits;
    // The upper of two words has what an element of 6 bits has beyond the lower one.
    long low = HostMemory.ALL.get(JAVA_LONG_UNALIGNED, line + bit / 64 * 8L);
    long value = low >>> bit % 64;
    if (bit % 64 + bits > 64) {
      value |= HostMemory.ALL.get(JAVA_LONG_UNALIGNED, line + 8) << 64 - bit % 64;
    }
    return (int) value & (1 << bits) - 1;
  }
}
