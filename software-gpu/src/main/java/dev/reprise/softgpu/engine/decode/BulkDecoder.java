package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.BulkGroupOp;
import dev.reprise.softgpu.engine.exec.BulkLoadOp;
import dev.reprise.softgpu.engine.exec.BulkPrefetchOp;
import dev.reprise.softgpu.engine.exec.BulkReduction;
import dev.reprise.softgpu.engine.exec.BulkStoreOp;
import dev.reprise.softgpu.engine.exec.MemoryAddress;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Space;
import org.jspecify.annotations.Nullable;

/** {@code cp.async.bulk} and {@code cp.reduce.async.bulk} (PTX ISA, under these names). */
final class BulkDecoder {
  private static final String COMPLETION = "mbarrier::complete_tx::bytes";
  private static final String CLUSTER = "shared::cluster";
  private static final String BLOCK = "shared::cta";
  private static final int UNIT = 16;

  private final Emitter e;
  private final MemoryDecoder memory;
  private final TensorDecoder tensors;

  BulkDecoder(Emitter e, MemoryDecoder memory) {
    this.e = e;
    this.memory = memory;
    tensors = new TensorDecoder(e, memory);
  }

  /** After {@code cp.async.bulk}. */
  void copy(Form f) {
    boolean reduces = f.take("reduce");
    if (f.take("tensor")) {
      tensors.copy(f, reduces);
      return;
    }
    if (!reduces && f.take("commit_group")) {
      f.done(0);
      e.emit(new BulkGroupOp(BulkGroupOp.Action.COMMIT, 0));
    } else if (!reduces && f.take("wait_group")) {
      await(f);
    } else if (!reduces && f.take("prefetch")) {
      prefetch(f);
    } else if (f.take(COMPLETION)) {
      toShared(f, reduces);
    } else if (f.take("bulk_group")) {
      toGlobal(f, reduces);
    } else {
      throw f.error("needs one of ." + COMPLETION + ", .bulk_group");
    }
  }

  private void await(Form f) {
    BulkGroupOp.Action action =
        f.take("read") ? BulkGroupOp.Action.WAIT_READ : BulkGroupOp.Action.WAIT;
    f.done(1);
    if (!(f.operand(0) instanceof Operand.IntImmediate n) || n.value() < 0) {
      throw f.error("needs a number of groups");
    }
    e.emit(new BulkGroupOp(action, (int) Math.min(n.value(), 1 << 20)));
  }

  private void prefetch(Form f) {
    f.require("L2");
    f.require("global");
    boolean policy = f.take("L2::cache_hint");
    f.done(policy ? 3 : 2);
    MemoryAddress from = memory.address(f.operand(0), Space.GLOBAL, UNIT);
    e.emit(new BulkPrefetchOp(from, size(f, f.operand(1))));
  }

  private int size(Form f, Operand o) {
    if (o instanceof Operand.IntImmediate n && n.value() % UNIT != 0) {
      throw f.error("copies a multiple of 16 bytes, not " + n.value());
    }
    return e.ints(o, PtxType.U32);
  }

  static void order(Form f, String to, String from) {
    if (!f.before(to, from)) {
      throw f.error("names its target after its source");
    }
  }

  private void toShared(Form f, boolean reduces) {
    boolean global = f.take("global");
    String to;
    if (global) {
      to = f.require(CLUSTER, BLOCK);
      order(f, to, "global");
    } else {
      to = f.require(CLUSTER);
      f.require(BLOCK);
      order(f, CLUSTER, BLOCK);
    }
    if (reduces && global) {
      throw f.error("needs ." + BLOCK + " as its source");
    }
    boolean several = global && to.equals(CLUSTER) && f.take("multicast::cluster");
    boolean policy = global && f.take("L2::cache_hint");
    BulkReduction reduction = reduces ? reduction(f, true) : null;
    int last = 4 + (several ? 1 : 0);
    f.done(last + (policy ? 1 : 0));
    Space space = to.equals(CLUSTER) ? Space.SHARED_CLUSTER : Space.SHARED;
    e.emit(
        new BulkLoadOp(
            memory.address(f.operand(0), space, UNIT),
            memory.address(f.operand(1), global ? Space.GLOBAL : Space.SHARED, UNIT),
            memory.address(f.operand(3), space, 8),
            size(f, f.operand(2)),
            several ? e.ints(f.operand(4), PtxType.U16) : -1,
            reduction));
  }

  private void toGlobal(Form f, boolean reduces) {
    f.require("global");
    f.require(BLOCK);
    order(f, "global", BLOCK);
    boolean policy = f.take("L2::cache_hint");
    boolean masked = !reduces && f.take("cp_mask");
    BulkReduction reduction = reduces ? reduction(f, false) : null;
    int operands = 3 + (policy ? 1 : 0) + (masked ? 1 : 0);
    f.done(operands);
    e.emit(
        new BulkStoreOp(
            memory.address(f.operand(0), Space.GLOBAL, UNIT),
            memory.address(f.operand(1), Space.SHARED, UNIT),
            size(f, f.operand(2)),
            masked ? e.ints(f.operand(operands - 1), PtxType.B16) : -1,
            reduction));
  }

  /** The operation of a reduction. */
  static String operation(Form f) {
    return f.require("add", "min", "max", "inc", "dec", "and", "or", "xor");
  }

  /** What global memory has of an operation on elements of a type; null for nothing. */
  static @Nullable BulkReduction reduction(Form f, String op, PtxType t) {
    if (!fitsShared(op, t) && !fitsGlobal(op, t)) {
      return null;
    }
    return t.bytes() == 8
        ? BulkReduction.ofLong(AtomicDecoder.longUpdate(f, op, t))
        : BulkReduction.ofInt(t.bytes(), AtomicDecoder.intUpdate(f, op, t));
  }

  private static BulkReduction reduction(Form f, boolean toShared) {
    String op = operation(f);
    PtxType t = f.type();
    boolean noftz = f.take("noftz");
    boolean half = t == PtxType.F16 || t == PtxType.BF16;
    BulkReduction found = toShared && !fitsShared(op, t) ? null : reduction(f, op, t);
    if (found == null) {
      throw f.error("has no ." + op + " on ." + t.text());
    }
    if (noftz != (half && op.equals("add"))) {
      throw f.error(noftz ? "has .noftz, which only sums of halves have" : "needs .noftz");
    }
    return found;
  }

  private static boolean fitsShared(String op, PtxType t) {
    return switch (op) {
      case "add" -> t == PtxType.U32 || t == PtxType.S32 || t == PtxType.U64;
      case "min", "max" -> t == PtxType.U32 || t == PtxType.S32;
      case "inc", "dec" -> t == PtxType.U32;
      default -> t == PtxType.B32;
    };
  }

  /** What global memory has beyond that. */
  private static boolean fitsGlobal(String op, PtxType t) {
    boolean half = t == PtxType.F16 || t == PtxType.BF16;
    return switch (op) {
      case "add" -> half || t == PtxType.F32 || t == PtxType.F64;
      case "min", "max" -> half || t == PtxType.U64 || t == PtxType.S64;
      case "inc", "dec" -> false;
      default -> t == PtxType.B64;
    };
  }
}
