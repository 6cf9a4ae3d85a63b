package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.BulkReduction;
import dev.reprise.softgpu.engine.exec.MemoryAddress;
import dev.reprise.softgpu.engine.exec.TensorElement;
import dev.reprise.softgpu.engine.exec.TensorLoadOp;
import dev.reprise.softgpu.engine.exec.TensorMap;
import dev.reprise.softgpu.engine.exec.TensorMode;
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
 * cp.async.bulk.prefetch.tensor} (PTX ISA, under these names).
 */
final class TensorDecoder {
  private static final String COMPLETION = "mbarrier::complete_tx::bytes";
  private static final String CLUSTER = "shared::cluster";
  private static final String BLOCK = "shared::cta";
  private static final String SCATTER = "tile::scatter4";
  private static final String COLUMN = "im2col_no_offs";

  /** Half a tensor map, which is as far as an address is checked at once. */
  private static final int MAP_BYTES = 64;

  /** A column and four rows. */
  private static final int FOUR_ROWS = 5;

  private final Emitter e;
  private final MemoryDecoder memory;

  TensorDecoder(Emitter e, MemoryDecoder memory) {
    this.e = e;
    this.memory = memory;
  }

  /** After {@code cp.async.bulk.tensor}. */
  void copy(Form f, boolean reduces) {
    int rank = f.require("1d", "2d", "3d", "4d", "5d").charAt(0) - '0';
    if (!reduces && f.take("prefetch")) {
      TensorMode mode = loadMode(f, rank);
      f.require("L2");
      f.require("global");
      int more = mode.text().startsWith("im2col") ? 1 : 0;
      f.done(1 + more + (f.take("L2::cache_hint") ? 1 : 0));
      int[] offsets = offsets(f, mode, rank, 1);
      e.emit(new TensorPrefetchOp(tensor(f, f.operand(0), mode, rank, offsets)));
    } else if (!reduces && f.take(COMPLETION)) {
      load(f, loadMode(f, rank), rank);
    } else if (f.take("bulk_group")) {
      store(f, storeMode(f, rank), rank, reduces);
    } else {
      throw f.error(
          reduces ? "needs .bulk_group" : "needs one of ." + COMPLETION + ", .bulk_group");
    }
  }

  private static TensorMode loadMode(Form f, int rank) {
    for (TensorMode mode : TensorMode.values()) {
      if (f.take(mode.text())) {
        return fitting(f, mode, rank);
      }
    }
    if (f.startsWith(SCATTER) || f.startsWith(COLUMN)) {
      throw f.error(
          "has a mode of stores: needs .tile, .tile::gather4, .im2col, .im2col::w or "
              + ".im2col::w::128");
    }
    return TensorMode.TILE;
  }

  private static TensorMode storeMode(Form f, int rank) {
    if (f.take(SCATTER)) {
      return fitting(f, TensorMode.FOUR_ROWS, rank);
    }
    if (f.take(COLUMN)) {
      return fitting(f, TensorMode.IM2COL, rank);
    }
    if (f.startsWith("tile::") || f.startsWith("im2col")) {
      throw f.error("has a mode of loads: needs .tile, .tile::scatter4 or .im2col_no_offs");
    }
    f.take("tile");
    return TensorMode.TILE;
  }

  private static TensorMode fitting(Form f, TensorMode mode, int rank) {
    if (mode == TensorMode.FOUR_ROWS && rank != 2) {
      throw f.error("copies rows of .2d");
    }
    if (mode.text().startsWith("im2col") && rank <= TensorMap.NO_PLACE) {
      throw f.error("copies pixels of .3d, .4d or .5d");
    }
    return mode;
  }

  private TensorOperand tensor(Form f, Operand o, TensorMode mode, int rank, int[] offsets) {
    int count = mode == TensorMode.FOUR_ROWS ? FOUR_ROWS : rank;
    if (!(o instanceof Operand.Address a)
        || a.more().size() != 1
        || !(a.more().getFirst() instanceof Operand.Vector v)
        || v.elements().size() != count) {
      throw f.error("needs [map, {coordinates}] with " + count + " coordinates");
    }
    Operand map = new Operand.Address(a.base(), a.offset(), List.of());
    return new TensorOperand(
        memory.address(map, Space.GENERIC, MAP_BYTES), mode, ints(v, PtxType.S32), offsets);
  }

  private int[] ints(Operand.Vector v, PtxType t) {
    int[] all = new int[v.elements().size()];
    for (int k = 0; k < all.length; k++) {
      all[k] = e.ints(v.elements().get(k), t);
    }
    return all;
  }

  /** The vector behind the other operands that pixels need. */
  private int[] offsets(Form f, TensorMode mode, int rank, int operand) {
    if (mode == TensorMode.TILE || mode == TensorMode.FOUR_ROWS) {
      return new int[0];
    }
    boolean wide = mode != TensorMode.IM2COL;
    int count = wide ? 2 : rank - TensorMap.NO_PLACE;
    if (!(f.operand(operand) instanceof Operand.Vector v) || v.elements().size() != count) {
      throw f.error(
          wide ? "needs {halo, offset}" : "needs {offsets} with " + count + " of 16 bits");
    }
    if (wide && v.elements().getFirst() instanceof Operand.IntImmediate n && n.value() != 0) {
      throw f.unsupported("the software GPU copies no halo");
    }
    return ints(v, PtxType.U16);
  }

  private void load(Form f, TensorMode mode, int rank) {
    f.require("global");
    String to = f.require(CLUSTER, BLOCK);
    BulkDecoder.order(f, to, "global");
    boolean pair = "cta_group::2".equals(f.takeAny("cta_group::1", "cta_group::2"));
    boolean several = to.equals(CLUSTER) && f.take("multicast::cluster");
    boolean policy = f.take("L2::cache_hint");
    int more = mode.text().startsWith("im2col") ? 1 : 0;
    f.done(3 + more + (several ? 1 : 0) + (policy ? 1 : 0));
    // The barrier of a pair may be that of the other block.
    Space space = to.equals(CLUSTER) || pair ? Space.SHARED_CLUSTER : Space.SHARED;
    MemoryAddress target = memory.address(f.operand(0), space, 16);
    MemoryAddress barrier = memory.address(f.operand(2), space, 8);
    int blocks = several ? e.ints(f.operand(3 + more), PtxType.U16) : -1;
    TensorOperand from = tensor(f, f.operand(1), mode, rank, offsets(f, mode, rank, 3));
    e.emit(new TensorLoadOp(target, from, barrier, blocks, pair));
  }

  private void store(Form f, TensorMode mode, int rank, boolean reduces) {
    f.require("global");
    f.require(BLOCK);
    BulkDecoder.order(f, "global", BLOCK);
    boolean policy = f.take("L2::cache_hint");
    @Nullable BulkReduction[] reductions = reduces ? reductions(f) : null;
    f.done(policy ? 3 : 2);
    MemoryAddress from = memory.address(f.operand(1), Space.SHARED, 16);
    TensorOperand to = tensor(f, f.operand(0), mode, rank, new int[0]);
    e.emit(new TensorStoreOp(to, from, reductions));
  }

  /** The type of the elements is that of the map. */
  private static @Nullable BulkReduction[] reductions(Form f) {
    String op = BulkDecoder.operation(f);
    TensorElement[] elements = TensorElement.values();
    @Nullable BulkReduction[] all = new BulkReduction[elements.length];
    for (int k = 0; k < all.length; k++) {
      PtxType t = type(elements[k], op);
      all[k] = t == null ? null : BulkDecoder.reduction(f, op, t);
    }
    return all;
  }

  /** Null for elements that are only copied. */
  private static @Nullable PtxType type(TensorElement element, String op) {
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
      case F32_FTZ, TF32, TF32_FTZ, U4, U4_GAP_8, U6_GAP_4 -> null;
    };
  }
}
