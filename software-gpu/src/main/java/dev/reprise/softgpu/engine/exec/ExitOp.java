package dev.reprise.softgpu.engine.exec;

/** {@code exit}, and {@code ret} of a kernel: ends the active lanes. */
public final class ExitOp extends Op {
  public ExitOp() {
    super(EXIT);
  }

  @Override
  public void run(Warp w, int m) {
    throw new IllegalStateException("an exit is run by the scheduler");
  }
}
