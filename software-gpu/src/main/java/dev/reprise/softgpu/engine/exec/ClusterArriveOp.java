package dev.reprise.softgpu.engine.exec;

/** {@code barrier.cluster.arrive} (PTX ISA, "barrier.cluster"). */
public final class ClusterArriveOp extends Op {
  @Override
  public void run(Warp w, int m) {
    w.block.cluster().arrive(w, this, m);
  }
}
