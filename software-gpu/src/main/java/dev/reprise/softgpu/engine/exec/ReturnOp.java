package dev.reprise.softgpu.engine.exec;

/** {@code ret} of a procedure: each lane goes on where it was called. */
public final class ReturnOp extends Op {
  public ReturnOp() {
    super(RETURN);
  }

  @Override
  public void run(Warp w, int m) {
    throw new IllegalStateException("a return is run by the scheduler");
  }

  void leave(Warp w, Op[] code, int m, int penalty) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      CallStack stack = w.calls(lane);
      int pc = (int) stack.pop();
      ((CallOp) code[pc - 1]).restore(w, lane, stack);
      w.groups.add(pc, 1 << lane, Groups.READY, penalty);
    }
  }
}
