package dev.reprise.softgpu.engine.exec;

/** {@code bar.warp.sync}: lanes of one warp may wait for each other at different instructions. */
public final class WarpBarrierOp extends SyncOp {
  public WarpBarrierOp(int members) {
    super(members);
  }

  private static boolean waitsHere(Warp w, int g) {
    return w.groups.state[g] == Groups.SYNC && w.code()[w.groups.pc[g]] instanceof WarpBarrierOp;
  }

  @Override
  int elsewhere(Warp w, int needed) {
    int lanes = 0;
    for (int g = 0; g < w.groups.count; g++) {
      if (waitsHere(w, g)) {
        lanes |= w.groups.mask[g];
      }
    }
    return lanes;
  }

  @Override
  protected void together(Warp w, int set, int named) {
    for (int g = 0; g < w.groups.count; g++) {
      if (waitsHere(w, g) && (w.groups.mask[g] & ~named) == 0) {
        w.groups.state[g] = Groups.READY;
        w.groups.pc[g]++;
      }
    }
  }
}
