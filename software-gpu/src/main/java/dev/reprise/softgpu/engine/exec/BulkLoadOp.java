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
    fromGlobal = from.space() == Space.GLOBAL;
    this.from =
        new BulkAccess(
            from,
            "asynchronous read",
            fromGlobal ? BlockWatch.Access.READ : BlockWatch.Access.READ_LATER);
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
        Runnable taken = fromGlobal ? () -> {} : from.taking(w, lane, sources[lane], bytes, false);
        start(w, b, lane, targets[lane], source, bytes, barriers[lane], taken);
      } else {
        spread(w, lane, targets[lane], source, bytes, named[lane]);
      }
    }
  }

  /** Begins a copy for each block of the cluster that the mask names. */
  private void spread(
      Warp w, int lane, long target, List<BulkCopy.Piece> source, int bytes, long named) {
    Block[] all = w.block.cluster().blocks();
    for (int rest = BulkAccess.blocks(w, blocks, lane, this); rest != 0; rest &= rest - 1) {
      Block b = all[Integer.numberOfTrailingZeros(rest)];
      start(w, b, lane, target, source, bytes, b.shared + Cluster.offset(named), () -> {});
    }
  }

  private void start(
      Warp w,
      Block b,
      int lane,
      long target,
      List<BulkCopy.Piece> source,
      int bytes,
      long barrierAt,
      Runnable taken) {
    BulkCopy copy = new BulkCopy(source, to.shared(w, b, lane, target, bytes), writer, taken);
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
