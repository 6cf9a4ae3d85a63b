package dev.reprise.softgpu.engine.exec;

/** {@code barrier.cluster.wait} (PTX ISA, "barrier.cluster"). */
public final class ClusterWaitOp extends BlockingOp {
  @Override
  int arrive(Warp w, int m, int nextPc) {
    return w.block.cluster().await(w, this, m, nextPc);
  }
}
