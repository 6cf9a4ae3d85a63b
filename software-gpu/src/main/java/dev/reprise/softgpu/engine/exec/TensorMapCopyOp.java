package dev.reprise.softgpu.engine.exec;

/**
 * {@code tensormap.cp_fenceproxy}: brings a tensor map from shared to global memory. All lanes of a
 * warp do so together, as a rule the same one, which is then copied once.
 */
public final class TensorMapCopyOp extends Op {
  private final TensorMapAccess to;
  private final TensorMapAccess from;

  /**
   * Both of 64 bytes.
   *
   * @param to in global memory
   * @param from in shared memory of the block
   */
  public TensorMapCopyOp(MemoryAddress to, MemoryAddress from) {
    this.to = new TensorMapAccess(to, "write");
    this.from = new TensorMapAccess(from, "read");
  }

  @Override
  public void run(Warp w, int m) {
    long[] targets = to.addresses(w);
    long[] sources = from.addresses(w);
    int left = m;
    while (left != 0) {
      int lane = Integer.numberOfTrailingZeros(left);
      byte[] map = from.at(w, lane, this).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
      to.at(w, lane, this).copyFrom(java.lang.foreign.MemorySegment.ofArray(map));
      for (int rest = left; rest != 0; rest &= rest - 1) {
        int other = Integer.numberOfTrailingZeros(rest);
        if (targets[other] == targets[lane] && sources[other] == sources[lane]) {
          left &= ~(1 << other);
        }
      }
    }
  }
}
