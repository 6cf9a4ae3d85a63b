package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.AsyncCopyOp;
import dev.reprise.softgpu.engine.exec.AsyncGroupOp;
import dev.reprise.softgpu.engine.exec.IntOp;
import dev.reprise.softgpu.engine.exec.MemoryAddress;
import dev.reprise.softgpu.engine.exec.PhaseBarrierOp;
import dev.reprise.softgpu.engine.exec.PredicateOp;
import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.engine.math.LongLanes;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Space;

/** {@code cp.async} and {@code mbarrier} (PTX ISA, "Asynchronous Copy", "mbarrier"). */
final class AsyncDecoder {
  private final Emitter e;
  private final MemoryDecoder memory;
  private final CompareDecoder compare;

  AsyncDecoder(Emitter e, MemoryDecoder memory, CompareDecoder compare) {
    this.e = e;
    this.memory = memory;
    this.compare = compare;
  }

  void copy(Form f) {
    if (!f.take("async") || f.take("bulk") || f.take("reduce")) {
      throw f.unsupported("bulk copies need the copy engine of clusters, which is not there");
    }
    if (f.take("commit_group")) {
      f.done(0);
      e.emit(new AsyncGroupOp(AsyncGroupOp.Action.COMMIT, 0));
    } else if (f.take("wait_all")) {
      f.done(0);
      e.emit(new AsyncGroupOp(AsyncGroupOp.Action.WAIT_ALL, 0));
    } else if (f.take("wait_group")) {
      f.done(1);
      if (!(f.operand(0) instanceof Operand.IntImmediate n) || n.value() < 0) {
        throw f.error("needs a number of groups");
      }
      e.emit(new AsyncGroupOp(AsyncGroupOp.Action.WAIT, (int) Math.min(n.value(), 1 << 20)));
    } else if (f.take("mbarrier")) {
      track(f);
    } else {
      start(f);
    }
  }

  private void track(Form f) {
    f.require("arrive");
    boolean noIncrease = f.take("noinc");
    Space space = barrierSpace(f);
    f.done(1);
    MemoryAddress address = memory.address(f.operand(0), space, 8);
    PhaseBarrierOp.Action action =
        noIncrease ? PhaseBarrierOp.Action.TRACK_NO_INCREASE : PhaseBarrierOp.Action.TRACK;
    e.emit(new PhaseBarrierOp(address, action, -1, -1));
  }

  private void start(Form f) {
    f.require("ca", "cg");
    if (!f.take("shared") && !f.take("shared::cta")) {
      throw f.unsupported();
    }
    f.require("global");
    boolean policy = f.take("L2::cache_hint");
    f.ignorePrefix("L2::");
    int least = policy ? 4 : 3;
    f.done(least, least + 1);
    if (!(f.operand(2) instanceof Operand.IntImmediate size)
        || (size.value() != 4 && size.value() != 8 && size.value() != 16)) {
      throw f.error("copies 4, 8 or 16 bytes");
    }
    int bytes = (int) size.value();
    MemoryAddress to = memory.address(f.operand(0), Space.SHARED, bytes);
    MemoryAddress from = memory.address(f.operand(1), Space.GLOBAL, bytes);
    MemoryAddress firstByte = memory.address(f.operand(1), Space.GLOBAL, 1);
    e.emit(
        new AsyncCopyOp(
            to, from, firstByte, bytes, f.operands() > least ? sourceBytes(f, bytes) : -1));
  }

  /** The bytes to read; a predicate there tells whether to read nothing. */
  private int sourceBytes(Form f, int bytes) {
    Operand o = f.operand(3);
    VirtualRegister r = o instanceof Operand.Negated n ? e.register(n.name()) : e.register(o);
    if (r == null || r.kind != RegisterKind.PREDICATE) {
      return e.ints(o, PtxType.U32);
    }
    PredicateOp.Eval ignore = compare.predicate(o);
    int temp = e.temporary(RegisterKind.INT);
    e.emit(
        new IntOp(
            temp,
            (w, d) -> {
              int skipped = ignore.eval(w);
              for (int k = 0; k < d.length; k++) {
                d[k] = (skipped >>> k & 1) != 0 ? 0 : bytes;
              }
            }));
    return temp;
  }

  private static Space barrierSpace(Form f) {
    Space space = MemoryDecoder.space(f);
    if ((space != Space.SHARED && space != Space.GENERIC) || f.type() != PtxType.B64) {
      throw f.unsupported();
    }
    return space;
  }

  void barrier(Form f) {
    if (f.take("pending_count")) {
      f.done(2);
      int state = e.longs(f.operand(1), PtxType.B64);
      e.toInt(f.operand(0), PtxType.U32, (w, d) -> LongLanes.field(d, w.l[state], 20, 0xf_ffff));
      return;
    }
    // A block is alone in its cluster, and everything here happens in order.
    f.ignore("release", "acquire", "relaxed", "cta", "cluster");
    String what =
        f.require(
            "init",
            "inval",
            "arrive",
            "arrive_drop",
            "expect_tx",
            "complete_tx",
            "test_wait",
            "try_wait");
    switch (what) {
      case "init" -> plain(f, PhaseBarrierOp.Action.INIT, 2);
      case "inval" -> plain(f, PhaseBarrierOp.Action.INVALIDATE, 1);
      case "expect_tx" -> plain(f, PhaseBarrierOp.Action.EXPECT_BYTES, 2);
      case "complete_tx" -> plain(f, PhaseBarrierOp.Action.COMPLETE_BYTES, 2);
      case "arrive" ->
          arrive(
              f,
              f.take("expect_tx")
                  ? PhaseBarrierOp.Action.ARRIVE_AND_EXPECT
                  : PhaseBarrierOp.Action.ARRIVE);
      case "arrive_drop" -> arrive(f, PhaseBarrierOp.Action.DROP);
      default -> test(f);
    }
  }

  private void plain(Form f, PhaseBarrierOp.Action action, int operands) {
    Space space = barrierSpace(f);
    f.done(operands);
    MemoryAddress address = memory.address(f.operand(0), space, 8);
    int operand = operands == 2 ? e.ints(f.operand(1), PtxType.U32) : -1;
    e.emit(new PhaseBarrierOp(address, action, -1, operand));
  }

  private void arrive(Form f, PhaseBarrierOp.Action action) {
    f.ignore("noComplete");
    Space space = barrierSpace(f);
    boolean expects = action == PhaseBarrierOp.Action.ARRIVE_AND_EXPECT;
    if (expects) {
      f.done(3);
    } else {
      f.done(2, 3);
    }
    MemoryAddress address = memory.address(f.operand(1), space, 8);
    int count = f.operands() == 3 ? e.ints(f.operand(2), PtxType.U32) : e.registers.constant(1);
    int to =
        f.operand(0) instanceof Operand.Name n && n.sink() ? -1 : e.longDestination(f.operand(0));
    e.emit(new PhaseBarrierOp(address, action, to, count));
    e.end();
  }

  /** A try may take its time but need not; the time it may take does not matter. */
  private void test(Form f) {
    boolean parity = f.take("parity");
    Space space = barrierSpace(f);
    f.done(3, 4);
    MemoryAddress address = memory.address(f.operand(1), space, 8);
    int operand = parity ? e.ints(f.operand(2), PtxType.U32) : e.longs(f.operand(2), PtxType.B64);
    e.emit(
        new PhaseBarrierOp(
            address,
            parity ? PhaseBarrierOp.Action.TEST_PARITY : PhaseBarrierOp.Action.TEST,
            e.predicate(f.operand(0)),
            operand));
  }
}
