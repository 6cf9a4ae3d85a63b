package dev.reprise.softgpu.engine.exec;

/** {@code brx.idx}: each lane jumps to the target that its index picks. */
public final class TableOp extends Op {
  private final int index;
  private final int[] targets;

  /**
   * @param index int array with the index
   * @param targets program counters, filled in before the program runs
   */
  public TableOp(int index, int[] targets) {
    super(TABLE);
    this.index = index;
    this.targets = targets;
  }

  @Override
  public void run(Warp w, int m) {
    throw new IllegalStateException("a branch is run by the scheduler");
  }

  int[] targets() {
    return targets.clone();
  }

  /** Whether a lane jumps to where the instruction is, or behind it. */
  boolean jumpsBack(Warp w, int m, int pc) {
    int[] at = w.i[index];
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int target = at[Integer.numberOfTrailingZeros(rest)];
      if (target >= 0 && target < targets.length && targets[target] <= pc) {
        return true;
      }
    }
    return false;
  }

  void split(Warp w, int m, int penalty) {
    int[] at = w.i[index];
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      if (at[lane] < 0 || at[lane] >= targets.length) {
        throw new LaneFault(
            718,
            line,
            lane,
            0,
            "brx.idx with index " + at[lane] + " into " + targets.length + " targets");
      }
      w.groups.add(targets[at[lane]], 1 << lane, Groups.READY, penalty);
    }
  }
}
