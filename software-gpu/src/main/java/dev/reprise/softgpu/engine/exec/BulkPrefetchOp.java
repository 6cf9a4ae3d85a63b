package dev.reprise.softgpu.engine.exec;

/** {@code cp.async.bulk.prefetch.L2}: checks what it is asked for; there is no cache to fill. */
public final class BulkPrefetchOp extends Op {
  private final BulkAccess from;
  private final int size;

  /**
   * @param size int array with the number of bytes
   */
  public BulkPrefetchOp(MemoryAddress from, int size) {
    this.from = new BulkAccess(from, "prefetch", BlockWatch.Access.READ);
    this.size = size;
  }

  @Override
  public void run(Warp w, int m) {
    long[] sources = from.addresses(w, this);
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      from.aligned(sources[lane], BulkAccess.UNIT, lane);
      BulkAccess.size(w, size, lane, this);
    }
  }
}
