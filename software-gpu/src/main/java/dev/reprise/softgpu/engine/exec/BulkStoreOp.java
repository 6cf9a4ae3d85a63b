package dev.reprise.softgpu.engine.exec;

import org.jspecify.annotations.Nullable;

/**
 * {@code cp.async.bulk} and {@code cp.reduce.async.bulk} from shared to global memory, as part of
 * the open group of each thread.
 */
public final class BulkStoreOp extends Op {
  private final BulkAccess to;
  private final BulkAccess from;
  private final int size;
  private final int mask;
  private final BulkCopy.Writer writer;

  /**
   * @param size int array with the number of bytes
   * @param mask int array with a bit for each byte of 16 that is written, -1 for all
   * @param reduction what is done with the elements; null to copy them
   */
  public BulkStoreOp(
      MemoryAddress to, MemoryAddress from, int size, int mask, @Nullable BulkReduction reduction) {
    this.to =
        new BulkAccess(
            to,
            "asynchronous write",
            reduction == null ? BlockWatch.Access.WRITE : BlockWatch.Access.ATOMIC);
    this.from = new BulkAccess(from, "asynchronous read", BlockWatch.Access.READ_LATER);
    this.size = size;
    this.mask = mask;
    writer = reduction == null ? BulkCopy.PLAIN : reduction;
  }

  @Override
  public void run(Warp w, int m) {
    long[] targets = to.addresses(w, this);
    long[] sources = from.addresses(w, this);
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int bytes = BulkAccess.size(w, size, lane, this);
      w.bulkGroups()
          .start(
              lane,
              new BulkCopy(
                  from.shared(w, w.block, lane, sources[lane], bytes),
                  to.global(w, lane, targets[lane], bytes),
                  mask < 0 ? writer : masked(w.i[mask][lane]),
                  from.taking(w, lane, sources[lane], bytes, true)));
    }
  }

  /** Writes those bytes of each 16 that the mask has a bit for. */
  private static BulkCopy.Writer masked(int bits) {
    return (data, from, to, bytes) -> {
      for (int k = 0; k < bytes; k++) {
        if ((bits >>> (from + k) % BulkAccess.UNIT & 1) != 0) {
          BulkCopy.PLAIN.write(data, from + k, to + k, 1);
        }
      }
    };
  }
}
