package dev.reprise.softgpu.engine.exec;

/** {@code movmatrix}: an 8 x 8 matrix of 16-bit elements, transposed between the lanes. */
public final class MatrixTransposeOp extends SyncOp {
  private final int to;
  private final int from;

  public MatrixTransposeOp(int to, int from, int members) {
    super(members);
    this.to = to;
    this.from = from;
  }

  private static int element(int[] a, int row, int column) {
    return a[row * 4 + column / 2] >>> 16 * (column & 1) & 0xffff;
  }

  @Override
  protected void together(Warp w, int set, int named) {
    int[] a = new int[Warp.LANES];
    for (int rest = set; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      a[lane] = w.i[from][lane];
    }
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int column = lane >> 2;
      int row = 2 * (lane & 3);
      w.i[to][lane] = element(a, row, column) | element(a, row + 1, column) << 16;
    }
  }
}
