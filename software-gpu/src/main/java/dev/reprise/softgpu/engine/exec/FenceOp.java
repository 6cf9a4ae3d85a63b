package dev.reprise.softgpu.engine.exec;

import java.lang.invoke.VarHandle;

/** {@code membar} and {@code fence}. */
public final class FenceOp extends Op {

  public FenceOp() {}

  @Override
  public void run(Warp w, int m) {
    VarHandle.fullFence();
    BlockWatch watch = w.block.watch;
    if (watch != null) {
      watch.fence(w.index, m, this);
    }
    w.poll();
  }
}
