package dev.reprise.softgpu.engine.exec;

import java.util.List;

/**
 * {@code cp.async.bulk.tensor} to shared memory of the cluster. The box is there, and its bytes
 * count as come, when somebody looks at the barrier.
 */
public final class TensorLoadOp extends Op {
  private final BulkAccess to;
  private final TensorOperand from;
  private final BulkAccess global;
  private final LaneAccess barrier;
  private final int blocks;
  private final boolean pair;

  /**
   * A load.
   *
   * @param blocks int array with a bit for each block of the cluster that gets the box, at the
   *     offsets of {@code to} and {@code barrier} in its own memory; -1 for none but the named one
   * @param pair {@code .cta_group::2}: the barrier may be that of the other block of a pair, which
   *     are an even rank and the next one
   */
  public TensorLoadOp(
      MemoryAddress to, TensorOperand from, MemoryAddress barrier, int blocks, boolean pair) {
    this.to = new BulkAccess(to, "asynchronous write", BlockWatch.Access.WRITE_LATER);
    this.from = from;
    global = BulkAccess.ofTensor("asynchronous read", BlockWatch.Access.READ);
    this.barrier = new LaneAccess(barrier, "mbarrier access");
    this.blocks = blocks;
    this.pair = pair;
  }

  @Override
  public void run(Warp w, int m) {
    long[] targets = to.addresses(w, this);
    global.addresses(this);
    long[] barriers = barrier.resolvePlain(w, m, this).clone();
    long[] named = new long[Warp.LANES];
    barrier.addresses(w, named);
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      TensorMap map = from.map(w, lane, this);
      TensorBox box = from.box(w, lane, map, this, false);
      to.aligned(targets[lane], BulkAccess.TENSOR_UNIT, lane);
      List<List<BulkCopy.Piece>> memory = box.find(w, lane, global);
      if (blocks < 0) {
        Block b = to.block(w, lane, targets[lane]);
        together(b, to.block(w, lane, named[lane]), lane);
        start(w, b, lane, targets[lane], box, memory, barriers[lane]);
        continue;
      }
      Block[] all = w.block.cluster().blocks();
      int parity = to.block(w, lane, named[lane]).rank() & 1;
      for (int each = BulkAccess.blocks(w, blocks, lane, this); each != 0; each &= each - 1) {
        int rank = Integer.numberOfTrailingZeros(each);
        int told = pair ? rank & ~1 | parity : rank;
        if (told >= all.length) {
          throw fault(lane, "tells block %d of a cluster of %d".formatted(told, all.length));
        }
        long at = all[told].shared + Cluster.offset(named[lane]);
        start(w, all[rank], lane, targets[lane], box, memory, at);
      }
    }
  }

  private void together(Block target, Block told, int lane) {
    if (pair ? target.rank() >> 1 != told.rank() >> 1 : target != told) {
      throw fault(
          lane,
          "brings bytes to block %d and tells a barrier of block %d"
              .formatted(target.rank(), told.rank()));
    }
  }

  private LaneFault fault(int lane, String what) {
    return new LaneFault(719, line, lane, 0, text + " " + what);
  }

  private void start(
      Warp w,
      Block b,
      int lane,
      long target,
      TensorBox box,
      List<List<BulkCopy.Piece>> memory,
      long barrierAt) {
    to.shared(w, b, lane, target, box.span());
    Runnable tell = to.telling(w, b, lane, target, box.span());
    w.block
        .cluster()
        .track(
            barrierAt,
            () -> {
              tell.run();
              box.put(box.load(memory), b.shared, Cluster.offset(target));
              PhaseBarrier.complete(barrierAt, box.size(), this, lane);
            });
  }
}
