package dev.reprise.softgpu.engine.exec;

/** An operation at which lanes may have to wait for other warps. */
abstract class BlockingOp extends Op {
  BlockingOp() {
    super(BARRIER);
  }

  /**
   * Lanes of a warp come to it. Those that wait are kept by the warp as a group past it.
   *
   * @param nextPc where they go on
   * @return the lanes that wait, or are ready again in a group of their own
   */
  abstract int arrive(Warp w, int m, int nextPc);

  @Override
  public final void run(Warp w, int m) {
    throw new IllegalStateException("a barrier is run by the scheduler");
  }
}
