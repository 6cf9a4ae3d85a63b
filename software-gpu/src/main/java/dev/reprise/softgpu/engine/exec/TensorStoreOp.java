package dev.reprise.softgpu.engine.exec;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code cp.async.bulk.tensor} and {@code cp.reduce.async.bulk.tensor} from shared to global
 * memory, as part of the open group of each thread.
 */
public final class TensorStoreOp extends Op {
  private final TensorOperand to;
  private final BulkAccess from;
  private final BulkAccess global;
  private final @Nullable BulkReduction @Nullable [] reductions;

  /**
   * @param reductions what is done with elements of each {@link TensorElement}, null where it
   *     cannot be; null altogether to copy them
   */
  public TensorStoreOp(
      TensorOperand to, MemoryAddress from, @Nullable BulkReduction @Nullable [] reductions) {
    this.to = to;
    this.from = new BulkAccess(from, "asynchronous read", BlockWatch.Access.READ_LATER);
    global =
        BulkAccess.ofTensor(
            "asynchronous write",
            reductions == null ? BlockWatch.Access.WRITE : BlockWatch.Access.ATOMIC);
    this.reductions = reductions;
  }

  @Override
  public void run(Warp w, int m) {
    long[] sources = from.addresses(w, this);
    global.addresses(this);
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      TensorMap map = to.map(w, lane, this);
      TensorBox box = to.box(w, lane, map, this, true);
      BulkCopy.Writer writer = writer(map, lane);
      from.aligned(sources[lane], BulkAccess.TENSOR_UNIT, lane);
      from.shared(w, w.block, lane, sources[lane], box.span());
      List<List<BulkCopy.Piece>> memory = box.find(w, lane, global);
      long shared = w.block.shared;
      long offset = sources[lane];
      Runnable taken = from.taking(w, lane, offset, box.span(), true);
      w.bulkGroups()
          .start(
              lane,
              new BulkCopy(
                  () -> box.take(shared, offset), data -> box.store(data, memory, writer), taken));
    }
  }

  private BulkCopy.Writer writer(TensorMap map, int lane) {
    if (reductions == null) {
      return BulkCopy.PLAIN;
    }
    BulkReduction reduction = reductions[map.type().ordinal()];
    if (reduction == null) {
      throw new LaneFault(
          719, line, lane, 0, text + " of a tensor of " + map.type() + ", which has no such sum");
    }
    return reduction;
  }
}
