package dev.reprise.softgpu.engine.exec;

/** {@code shfl.sync} (PTX ISA, "shfl.sync"). */
public final class ShuffleOp extends SyncOp {
  /** Which lane a lane reads. */
  public enum Mode {
    UP,
    DOWN,
    BFLY,
    IDX
  }

  private final Mode mode;
  private final int to;
  private final int inRange;
  private final int from;
  private final int offset;
  private final int clampAndSegment;

  /**
   * @param to int array for the result
   * @param inRange predicate that tells whether the source lane was in range, or -1
   * @param from int array with the values
   * @param offset int array with the lane or distance
   * @param clampAndSegment int array with clamp (bits 0 to 4) and segment mask (bits 8 to 12)
   */
  public ShuffleOp(
      Mode mode, int to, int inRange, int from, int offset, int clampAndSegment, int members) {
    super(members);
    this.mode = mode;
    this.to = to;
    this.inRange = inRange;
    this.from = from;
    this.offset = offset;
    this.clampAndSegment = clampAndSegment;
  }

  @Override
  protected void together(Warp w, int set, int named) {
    int[] values = w.intScratch;
    System.arraycopy(w.i[from], 0, values, 0, Warp.LANES);
    int[] b = w.i[offset];
    int[] c = w.i[clampAndSegment];
    int[] d = w.i[to];
    int valid = 0;
    for (int rest = set; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int n = b[lane] & 31;
      int clamp = c[lane] & 31;
      int segment = c[lane] >>> 8 & 31;
      int last = (lane & segment) | (clamp & ~segment);
      int source;
      boolean ok;
      switch (mode) {
        case UP -> {
          source = lane - n;
          ok = source >= last;
        }
        case DOWN -> {
          source = lane + n;
          ok = source <= last;
        }
        case BFLY -> {
          source = lane ^ n;
          ok = source <= last;
        }
        default -> {
          source = (lane & segment) | (n & ~segment);
          ok = source <= last;
        }
      }
      d[lane] = values[ok ? source : lane];
      valid |= ok ? 1 << lane : 0;
    }
    if (inRange >= 0) {
      w.p[inRange] = (w.p[inRange] & ~set) | valid;
    }
  }
}
