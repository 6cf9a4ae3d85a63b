package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.BulkReduction;
import dev.reprise.softgpu.engine.exec.MemoryAddress;
import dev.reprise.softgpu.engine.exec.TensorElement;
import dev.reprise.softgpu.engine.exec.TensorLoadOp;
import dev.reprise.softgpu.engine.exec.TensorOperand;
import dev.reprise.softgpu.engine.exec.TensorPrefetchOp;
import dev.reprise.softgpu.engine.exec.TensorStoreOp;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Space;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code cp.async.bulk.tensor}, {@code cp.reduce.async.bulk.tensor} and {@code
 * cp.async.bulk.prefetch.tensor} in tiled mode (PTX ISA, under these names).
 */
final class TensorDecoder {
  private static final String COMPLETION = "mbarrier::complete_tx::bytes";
  private static final String CLUSTER = "shared::cluster";
  private static final String BLOCK = "shared::cta";

  /** Half a tensor map, which is as far as an address is checked at once. */
  private static final int MAP_BYTES = 64;

  private final Emitter e;
  private final MemoryDecoder memory;

  TensorDecoder(Emitter e, MemoryDecoder memory) {
    this.e = e;
    this.memory = memory;
  }

  /** After {@code cp.async.bulk.tensor}. */
  void copy(Form f, boolean reduces) {
    int rank = f.require("1d", "2d", "3d", "4d", "5d").charAt(0) - '0';
    if (f.startsWith("im2col") || f.startsWith("tile::") || f.startsWith("cta_group::")) {
      throw f.unsupported("the software GPU copies tensors in tiled mode, by one block");
    }
    f.take("tile");
    if (!reduces && f.take("prefetch")) {
      f.require("L2");
      f.require("global");
      f.done(f.take("L2::cache_hint") ? 2 : 1);
      e.emit(new TensorPrefetchOp(tensor(f, f.operand(0), rank)));
    } else if (!reduces && f.take(COMPLETION)) {
      load(f, rank);
    } else if (f.take("bulk_group")) {
      store(f, rank, reduces);
    } else {
      throw f.error(
          reduces ? "needs .bulk_group" : "needs one of ." + COMPLETION + ", .bulk_group");
    }
  }

  private TensorOperand tensor(Form f, Operand o, int rank) {
    if (!(o instanceof Operand.Address a)
        || a.more().size() != 1
        || !(a.more().getFirst() instanceof Operand.Vector v)
        || v.elements().size() != rank) {
      throw f.error("needs [map, {coordinates}] with " + rank + " coordinates");
    }
    Operand map = new Operand.Address(a.base(), a.offset(), List.of());
    int[] coordinates = new int[rank];
    for (int k = 0; k < rank; k++) {
      coordinates[k] = e.ints(v.elements().get(k), PtxType.S32);
    }
    return new TensorOperand(memory.address(map, Space.GENERIC, MAP_BYTES), coordinates);
  }

  private void load(Form f, int rank) {
    f.require("global");
    String to = f.require(CLUSTER, BLOCK);
    BulkDecoder.order(f, to, "global");
    boolean several = to.equals(CLUSTER) && f.take("multicast::cluster");
    boolean policy = f.take("L2::cache_hint");
    f.done(3 + (several ? 1 : 0) + (policy ? 1 : 0));
    Space space = to.equals(CLUSTER) ? Space.SHARED_CLUSTER : Space.SHARED;
    MemoryAddress target = memory.address(f.operand(0), space, 16);
    MemoryAddress barrier = memory.address(f.operand(2), space, 8);
    int blocks = several ? e.ints(f.operand(3), PtxType.U16) : -1;
    e.emit(new TensorLoadOp(target, tensor(f, f.operand(1), rank), barrier, blocks));
  }

  private void store(Form f, int rank, boolean reduces) {
    f.require("global");
    f.require(BLOCK);
    BulkDecoder.order(f, "global", BLOCK);
    boolean policy = f.take("L2::cache_hint");
    @Nullable BulkReduction[] reductions = reduces ? reductions(f) : null;
    f.done(policy ? 3 : 2);
    MemoryAddress from = memory.address(f.operand(1), Space.SHARED, 16);
    e.emit(new TensorStoreOp(tensor(f, f.operand(0), rank), from, reductions));
  }

  /** The type of the elements is that of the map. */
  private static @Nullable BulkReduction[] reductions(Form f) {
    String op = BulkDecoder.operation(f);
    TensorElement[] elements = TensorElement.values();
    @Nullable BulkReduction[] all = new BulkReduction[elements.length];
    for (int k = 0; k < all.length; k++) {
      all[k] = BulkDecoder.reduction(f, op, type(elements[k], op));
    }
    return all;
  }

  private static PtxType type(TensorElement element, String op) {
    boolean bits = op.equals("and") || op.equals("or") || op.equals("xor");
    return switch (element) {
      case U8 -> PtxType.U8;
      case U16 -> PtxType.U16;
      case U32 -> bits ? PtxType.B32 : PtxType.U32;
      case S32 -> bits ? PtxType.B32 : PtxType.S32;
      case U64 -> bits ? PtxType.B64 : PtxType.U64;
      case S64 -> bits ? PtxType.B64 : op.equals("add") ? PtxType.U64 : PtxType.S64;
      case F16 -> PtxType.F16;
      case F32 -> PtxType.F32;
      case F64 -> PtxType.F64;
      case BF16 -> PtxType.BF16;
    };
  }
}
