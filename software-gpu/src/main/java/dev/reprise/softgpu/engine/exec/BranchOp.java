package dev.reprise.softgpu.engine.exec;

/** {@code bra}: the scheduler does the work. */
public final class BranchOp extends Op {
  int target = -1;

  public BranchOp() {
    super(BRANCH);
  }

  /** Set once the program counter of the label is known. */
  public void target(int pc) {
    target = pc;
  }

  @Override
  public void run(Warp w, int m) {
    throw new IllegalStateException("a branch is run by the scheduler");
  }
}
