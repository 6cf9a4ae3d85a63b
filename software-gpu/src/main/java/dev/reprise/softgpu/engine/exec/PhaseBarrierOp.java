package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.reprise.softgpu.memory.HostMemory;
import java.util.List;

/** {@code mbarrier} operations, lane after lane. */
public final class PhaseBarrierOp extends MemoryOp {
  /** What is done. */
  public enum Action {
    INIT,
    INVALIDATE,
    ARRIVE,
    DROP,
    EXPECT_BYTES,
    COMPLETE_BYTES,
    ARRIVE_AND_EXPECT,
    DROP_AND_EXPECT,
    TEST,
    TEST_PARITY,
    /** {@code cp.async.mbarrier.arrive}: an arrival once the copies of the lane are there. */
    TRACK,
    /** The same without counting the arrival as one more pending. */
    TRACK_NO_INCREASE
  }

  private final Action action;
  private final int result;
  private final int operand;

  /**
   * @param result long array for the state, predicate for a test, or -1
   * @param operand int array with a count, bytes or parity; long array with a state
   */
  public PhaseBarrierOp(MemoryAddress address, Action action, int result, int operand) {
    super(address, "mbarrier access");
    this.action = action;
    this.result = result;
    this.operand = operand;
  }

  @Override
  public void run(Warp w, int m) {
    resolveLanes(w, m);
    long[] at = w.address.clone();
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      lane(w, lane, at[lane]);
    }
  }

  private void lane(Warp w, int lane, long at) {
    long b = HostMemory.ALL.get(JAVA_LONG_UNALIGNED, at);
    switch (action) {
      case INIT -> {
        int count = w.i[operand][lane];
        if (count < 1 || count > PhaseBarrier.MOST) {
          throw fault(
              lane, "expects " + count + " arrivals, which must be 1 to " + PhaseBarrier.MOST);
        }
        put(at, PhaseBarrier.of(count));
      }
      case INVALIDATE -> put(at, 0);
      case ARRIVE -> arrive(w, lane, at, b, w.i[operand][lane], 0, 0);
      case DROP -> arrive(w, lane, at, b, w.i[operand][lane], w.i[operand][lane], 0);
      case ARRIVE_AND_EXPECT -> arrive(w, lane, at, b, 1, 0, bytes(w, lane));
      case DROP_AND_EXPECT -> arrive(w, lane, at, b, 1, 1, bytes(w, lane));
      case EXPECT_BYTES -> {
        check(lane, b);
        put(at, PhaseBarrier.change(b, 0, 0, bytes(w, lane), 0));
      }
      case COMPLETE_BYTES -> {
        check(lane, b);
        put(at, PhaseBarrier.change(b, 0, 0, -(long) bytes(w, lane), 0));
      }
      case TEST -> {
        long state = w.l[operand][lane];
        test(w, lane, at, PhaseBarrier.phase(state));
      }
      case TEST_PARITY -> test(w, lane, at, (w.i[operand][lane] & 1) != 0);
      case TRACK, TRACK_NO_INCREASE -> {
        check(lane, b);
        boolean increase = action == Action.TRACK;
        if (increase) {
          put(at, PhaseBarrier.change(b, 0, 0, 0, 1));
        }
        List<AsyncCopies.Copy> copies = w.copies.pending(lane);
        w.block
            .cluster()
            .track(
                at,
                () -> {
                  copies.forEach(copy -> copy.arrive(false));
                  long now = HostMemory.ALL.get(JAVA_LONG_UNALIGNED, at);
                  if (PhaseBarrier.pending(now) < 1) {
                    throw fault(lane, "has an arrival of copies that it does not expect");
                  }
                  put(at, PhaseBarrier.change(now, 1, 0, 0, 0));
                });
      }
    }
  }

  private int bytes(Warp w, int lane) {
    int n = w.i[operand][lane];
    if (n < 0 || n > PhaseBarrier.MOST_BYTES) {
      throw fault(lane, "expects " + n + " bytes, which must be 0 to " + PhaseBarrier.MOST_BYTES);
    }
    return n;
  }

  private void arrive(Warp w, int lane, long at, long b, int count, int drops, int bytes) {
    check(lane, b);
    if (count < 1 || count > PhaseBarrier.pending(b)) {
      throw fault(
          lane, "gets " + count + " arrivals while " + PhaseBarrier.pending(b) + " are pending");
    }
    if (result >= 0) {
      w.l[result][lane] = b;
    }
    put(at, PhaseBarrier.change(b, count, drops, bytes, 0));
  }

  private void test(Warp w, int lane, long at, boolean phase) {
    w.polled = true;
    // Whoever looks at the barrier sees what has arrived meanwhile.
    w.block.cluster().completeTracked(at);
    long b = HostMemory.ALL.get(JAVA_LONG_UNALIGNED, at);
    check(lane, b);
    boolean complete = PhaseBarrier.phase(b) != phase;
    w.p[result] = complete ? w.p[result] | 1 << lane : w.p[result] & ~(1 << lane);
  }

  private void check(int lane, long b) {
    if (!PhaseBarrier.initialised(b)) {
      throw fault(lane, "is not initialised");
    }
  }

  private LaneFault fault(int lane, String what) {
    return new LaneFault(719, line, lane, 0, text + ": the barrier " + what);
  }

  private static void put(long at, long b) {
    HostMemory.ALL.set(JAVA_LONG_UNALIGNED, at, b);
  }
}
