package dev.reprise.softgpu.engine.exec;

import java.util.List;
import java.util.Map;

/**
 * {@code call} of a procedure: each lane keeps where it goes on and the registers of the caller,
 * and moves its frame pointer past the caller's frame.
 */
public final class CallOp extends Op {
  /** CUDA_ERROR_HARDWARE_STACK_ERROR. */
  private static final int STACK_ERROR = 714;

  private static final int INVALID_PC = 718;

  /** Where a procedure begins and how much local memory an activation of it has. */
  public record Entry(int pc, int frameBytes) {}

  private final int framePointer;
  private final int stackPointer;
  private final int frameBytes;
  private final int target;
  private final long only;
  private Map<Long, Entry> entries = Map.of();
  private List<Register> saved = List.of();

  /**
   * @param framePointer long array
   * @param stackPointer long array with where memory begins that was allocated on the stack, -1
   *     where none is
   * @param frameBytes size of the caller's frame
   * @param target long array with the address of the procedure, -1 where it is {@code only}
   */
  public CallOp(int framePointer, int stackPointer, int frameBytes, int target, long only) {
    super(CALL);
    this.framePointer = framePointer;
    this.stackPointer = stackPointer;
    this.frameBytes = frameBytes;
    this.target = target;
    this.only = only;
  }

  /** Set once the whole program is decoded: procedures by their address. */
  public void entries(Map<Long, Entry> all) {
    entries = all;
  }

  /** Set once the caller is decoded: its registers, if it can be entered again meanwhile. */
  public void saves(List<Register> registers) {
    saved = registers;
  }

  @Override
  public void run(Warp w, int m) {
    throw new IllegalStateException("a call is run by the scheduler");
  }

  void enter(Warp w, int m, int pc, int penalty) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      long address = target < 0 ? only : w.l[target][lane];
      Entry entry = entries.get(address);
      if (entry == null) {
        throw new LaneFault(
            INVALID_PC,
            line,
            lane,
            0,
            String.format("call of 0x%x, which is no function", address));
      }
      long frame = w.l[framePointer][lane];
      long next = frame + frameBytes;
      CallStack stack = w.calls(lane);
      long end = stackPointer < 0 ? w.block.localBytes : w.l[stackPointer][lane];
      if (next + entry.frameBytes > end || stack.full()) {
        throw new LaneFault(
            STACK_ERROR,
            line,
            lane,
            0,
            String.format(
                "stack overflow: %d calls deep, %d bytes of local memory in a thread",
                stack.depth(), w.block.localBytes));
      }
      stack.begin();
      for (Register r : saved) {
        stack.push(value(w, r, lane));
      }
      if (stackPointer >= 0) {
        stack.push(end);
      }
      stack.push(frame);
      stack.push(pc + 1);
      w.l[framePointer][lane] = next;
      w.groups.add(entry.pc, 1 << lane, Groups.READY, penalty);
    }
  }

  /**
   * Brings back the frame, the stack pointer and the registers of the caller; the top of the stack
   * is the frame.
   */
  void restore(Warp w, int lane, CallStack stack) {
    w.l[framePointer][lane] = stack.pop();
    if (stackPointer >= 0) {
      w.l[stackPointer][lane] = stack.pop();
    }
    for (int k = saved.size() - 1; k >= 0; k--) {
      value(w, saved.get(k), lane, stack.pop());
    }
    stack.end();
  }

  private static long value(Warp w, Register r, int lane) {
    return switch (r.kind()) {
      case INT -> w.i[r.index()][lane];
      case LONG -> w.l[r.index()][lane];
      case FLOAT -> Float.floatToRawIntBits(w.f[r.index()][lane]);
      case DOUBLE -> Double.doubleToRawLongBits(w.d[r.index()][lane]);
      case PREDICATE -> w.p[r.index()] >>> lane & 1;
    };
  }

  private static void value(Warp w, Register r, int lane, long v) {
    switch (r.kind()) {
      case INT -> w.i[r.index()][lane] = (int) v;
      case LONG -> w.l[r.index()][lane] = v;
      case FLOAT -> w.f[r.index()][lane] = Float.intBitsToFloat((int) v);
      case DOUBLE -> w.d[r.index()][lane] = Double.longBitsToDouble(v);
      case PREDICATE ->
          w.p[r.index()] = v != 0 ? w.p[r.index()] | 1 << lane : w.p[r.index()] & ~(1 << lane);
    }
  }
}
