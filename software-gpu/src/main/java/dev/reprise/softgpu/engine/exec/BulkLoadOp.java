package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.ptx.Space;
import java.util.List;

/**
 * {@code cp.async.bulk} and {@code cp.reduce.async.bulk} to shared memory of the cluster. The bytes
 * are there, and count as come, when somebody looks at the barrier.
 */
public final class BulkLoadOp extends Op {
  private final BulkAccess to;
  private final BulkAccess from;
  private final boolean fromGlobal;
  private final LaneAccess barrier;
  private final int size;
  private final int blocks;
  private final BulkCopy.Writer writer;

  /**
   * @param size int array with the number of bytes
   * @param blocks int array with a bit for each block of the cluster that gets a copy, at the
   *     offsets of {@code to} and {@code barrier} in its own memory; -1 for none but the named one
   * @param reduction what is done with the elements; null to copy them
   */
  public BulkLoadOp(
      MemoryAddress to,
      MemoryAddress from,
      MemoryAddress barrier,
      int size,
      int blocks,
      @org.jspecify.annotations.Nullable BulkReduction reduction) {
    this.to = new BulkAccess(to, "asynchronous write", BlockWatch.Access.WRITE_LATER);
    this.from = new BulkAccess(from, "asynchronous read", BlockWatch.Access.READ);
    fromGlobal = from.space() == Space.GLOBAL;
    this.barrier = new LaneAccess(barrier, "mbarrier access");
    this.size = size;
    this.blocks = blocks;
    writer = reduction == null ? BulkCopy.PLAIN : reduction;
  }

  @Override
  public void run(Warp w, int m) {
    long[] targets = to.addresses(w, this);
    long[] sources = from.addresses(w, this);
    long[] barriers = barrier.resolvePlain(w, m, this).clone();
    long[] named = new long[Warp.LANES];
    barrier.addresses(w, named);
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int bytes = BulkAccess.size(w, size, lane, this);
      List<BulkCopy.Piece> source =
          fromGlobal
              ? from.global(w, lane, sources[lane], bytes)
              : from.shared(w, w.block, lane, sources[lane], bytes);
      if (blocks < 0) {
        Block b = to.block(w, lane, targets[lane]);
        start(w, b, lane, targets[lane], source, bytes, barriers[lane]);
      } else {
        spread(w, lane, targets[lane], source, bytes, named[lane]);
      }
    }
  }

  /** Begins a copy for each block of the cluster that the mask names. */
  private void spread(
      Warp w, int lane, long target, List<BulkCopy.Piece> source, int bytes, long named) {
    Block[] all = w.block.cluster().blocks();
    int mask = w.i[blocks][lane] & 0xffff;
    if (mask >>> all.length != 0) {
      throw new LaneFault(
          719,
          line,
          lane,
          0,
          String.format("%s to blocks 0x%x of a cluster of %d", text, mask, all.length));
    }
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      Block b = all[Integer.numberOfTrailingZeros(rest)];
      start(w, b, lane, target, source, bytes, b.shared + Cluster.offset(named));
    }
  }

  private void start(
      Warp w,
      Block b,
      int lane,
      long target,
      List<BulkCopy.Piece> source,
      int bytes,
      long barrierAt) {
    BulkCopy copy = new BulkCopy(source, to.shared(w, b, lane, target, bytes), writer);
    Runnable tell = to.telling(w, b, lane, target, bytes);
    w.block
        .cluster()
        .track(
            barrierAt,
            () -> {
              tell.run();
              copy.arrive();
              PhaseBarrier.complete(barrierAt, bytes, this, lane);
            });
  }
}
