package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.AsyncCopyOp;
import dev.reprise.softgpu.engine.exec.AsyncGroupOp;
import dev.reprise.softgpu.engine.exec.IntOp;
import dev.reprise.softgpu.engine.exec.MemoryAddress;
import dev.reprise.softgpu.engine.exec.PhaseBarrierOp;
import dev.reprise.softgpu.engine.exec.PredicateOp;
import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Space;

/** {@code cp.async} (PTX ISA, "Asynchronous Copy"); bulk copies go to {@link BulkDecoder}. */
final class AsyncDecoder {
  private final Emitter e;
  private final MemoryDecoder memory;
  private final CompareDecoder compare;
  private final BulkDecoder bulk;

  AsyncDecoder(Emitter e, MemoryDecoder memory, CompareDecoder compare) {
    this.e = e;
    this.memory = memory;
    this.compare = compare;
    bulk = new BulkDecoder(e, memory);
  }

  void copy(Form f) {
    f.require("async");
    if (f.take("bulk")) {
      bulk.copy(f);
      return;
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
    Space space = PhaseBarrierDecoder.space(f);
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
}
