package dev.reprise.softgpu.engine.exec;

/**
 * An operation that the lanes named in its member mask do together: it runs once they all stand at
 * it. Lanes that have exited do not count.
 */
public abstract class SyncOp extends Op {
  /** Int array with the member mask. */
  final int members;

  /**
   * @param members int array with the member mask, the same value in all lanes that it names
   */
  protected SyncOp(int members) {
    super(SYNC);
    this.members = members;
  }

  /**
   * Runs it in a run that all lanes do together. Elsewhere the scheduler calls {@link #attempt}.
   *
   * @param m all lanes
   */
  @Override
  public final void run(Warp w, int m) {
    if (m != -1) {
      throw new IllegalStateException("lanes of a synchronising operation are missing");
    }
    together(w, -1, -1);
  }

  /**
   * Runs the operation for every complete set of lanes in {@code m} and returns the lanes that are
   * done.
   */
  final int attempt(Warp w, int m) {
    int[] masks = w.i[members];
    if (m == -1 && allLanes(masks)) {
      met(w);
      together(w, -1, -1);
      return -1;
    }
    int done = 0;
    for (int rest = m; rest != 0; ) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int named = masks[lane];
      int set = 0;
      for (int k = rest; k != 0; k &= k - 1) {
        int other = Integer.numberOfTrailingZeros(k);
        if (masks[other] == named) {
          set |= 1 << other;
        }
      }
      rest &= ~set;
      int unnamed = set & ~named;
      if (unnamed != 0) {
        throw new LaneFault(
            719,
            line,
            Integer.numberOfTrailingZeros(unnamed),
            0,
            String.format("%s by a lane that its member mask 0x%08x does not name", text, named));
      }
      int needed = named & w.live;
      if ((needed & ~(set | elsewhere(w, needed))) == 0) {
        met(w);
        together(w, set, named);
        done |= set;
      }
    }
    return done;
  }

  private static void met(Warp w) {
    BlockWatch watch = w.block.watch;
    if (watch != null) {
      watch.warpMet(w.index);
    }
  }

  private static boolean allLanes(int[] masks) {
    int all = -1;
    for (int k = 0; k < Warp.LANES; k++) {
      all &= masks[k];
    }
    return all == -1;
  }

  /** Lanes that wait at another operation and count as arrived. */
  int elsewhere(Warp w, int needed) {
    return 0;
  }

  /**
   * Does the operation for a complete set of lanes.
   *
   * @param set the lanes that execute it
   * @param named the member mask
   */
  protected abstract void together(Warp w, int set, int named);
}
