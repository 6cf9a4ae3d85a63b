package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.MemoryAddress;
import dev.reprise.softgpu.engine.exec.PhaseBarrierOp;
import dev.reprise.softgpu.engine.math.LongLanes;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Space;

/** {@code mbarrier} (PTX ISA, "mbarrier"). */
final class PhaseBarrierDecoder {
  private final Emitter e;
  private final MemoryDecoder memory;

  PhaseBarrierDecoder(Emitter e, MemoryDecoder memory) {
    this.e = e;
    this.memory = memory;
  }

  /** Where the barrier is that an instruction names: in shared memory of the block. */
  static Space space(Form f) {
    Space space = MemoryDecoder.space(f);
    if (space == Space.SHARED_CLUSTER) {
      throw f.error("needs a barrier in .shared::cta");
    }
    check(f, space);
    return space;
  }

  private static void check(Form f, Space space) {
    boolean shared =
        space == Space.SHARED || space == Space.SHARED_CLUSTER || space == Space.GENERIC;
    if (!shared || f.type() != PtxType.B64) {
      throw f.unsupported();
    }
  }

  /** The same, or in shared memory of another block of the cluster. */
  private static Space anySpace(Form f) {
    Space space = MemoryDecoder.space(f);
    check(f, space);
    return space;
  }

  void barrier(Form f) {
    if (f.take("pending_count")) {
      f.done(2);
      int state = e.longs(f.operand(1), PtxType.B64);
      e.toInt(f.operand(0), PtxType.U32, (w, d) -> LongLanes.field(d, w.l[state], 20, 0xf_ffff));
      return;
    }
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
      case "init" -> plain(f, PhaseBarrierOp.Action.INIT, space(f), 2);
      case "inval" -> plain(f, PhaseBarrierOp.Action.INVALIDATE, space(f), 1);
      case "expect_tx" -> {
        // Of arrive.expect_tx or arrive_drop.expect_tx in another order.
        String first = f.takeAny("arrive", "arrive_drop");
        if (first != null) {
          arrive(f, first.equals("arrive_drop"), true);
        } else {
          order(f, "relaxed");
          plain(f, PhaseBarrierOp.Action.EXPECT_BYTES, anySpace(f), 2);
        }
      }
      case "complete_tx" -> {
        order(f, "relaxed");
        plain(f, PhaseBarrierOp.Action.COMPLETE_BYTES, anySpace(f), 2);
      }
      case "arrive", "arrive_drop" -> arrive(f, what.equals("arrive_drop"), f.take("expect_tx"));
      default -> test(f, what.equals("try_wait"));
    }
  }

  /** An order comes with a scope; all accesses of a cluster are in the order of the program. */
  private static void order(Form f, String... orders) {
    String order = f.takeAny(orders);
    String scope = f.takeAny("cta", "cluster");
    if ((order == null) != (scope == null)) {
      throw f.error(order == null ? "has a scope but no order" : "needs one of .cta, .cluster");
    }
  }

  private void plain(Form f, PhaseBarrierOp.Action action, Space space, int operands) {
    f.done(operands);
    MemoryAddress address = memory.address(f.operand(0), space, 8);
    int operand = operands == 2 ? e.ints(f.operand(1), PtxType.U32) : -1;
    e.emit(new PhaseBarrierOp(address, action, -1, operand));
  }

  private void arrive(Form f, boolean drop, boolean expects) {
    boolean incomplete = f.take("noComplete");
    order(f, "release", "relaxed");
    Space space = anySpace(f);
    if (expects || incomplete) {
      f.done(3);
    } else {
      f.done(2, 3);
    }
    boolean sink = f.operand(0) instanceof Operand.Name n && n.sink();
    if (space == Space.SHARED_CLUSTER && (incomplete || !sink)) {
      throw f.error(
          incomplete
              ? "cannot have .noComplete with .shared::cluster"
              : "gives no state of a barrier of the cluster: its destination must be _");
    }
    PhaseBarrierOp.Action action =
        expects
            ? drop ? PhaseBarrierOp.Action.DROP_AND_EXPECT : PhaseBarrierOp.Action.ARRIVE_AND_EXPECT
            : drop ? PhaseBarrierOp.Action.DROP : PhaseBarrierOp.Action.ARRIVE;
    MemoryAddress address = memory.address(f.operand(1), space, 8);
    int count = f.operands() == 3 ? e.ints(f.operand(2), PtxType.U32) : e.registers.constant(1);
    e.emit(new PhaseBarrierOp(address, action, sink ? -1 : e.longDestination(f.operand(0)), count));
    e.end();
  }

  /** A try may take its time but need not; the time it may take does not matter. */
  private void test(Form f, boolean mayTakeTime) {
    boolean parity = f.take("parity");
    order(f, "acquire", "relaxed");
    Space space = space(f);
    if (mayTakeTime) {
      f.done(3, 4);
    } else {
      f.done(3);
    }
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
