package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.Cluster;
import dev.reprise.softgpu.engine.exec.ClusterArriveOp;
import dev.reprise.softgpu.engine.exec.ClusterWaitOp;
import dev.reprise.softgpu.engine.exec.Program.Special;
import dev.reprise.softgpu.engine.exec.Windows;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;

/**
 * What blocks of a cluster do with each other (PTX ISA, "mapa", "getctarank", "barrier.cluster").
 */
final class ClusterDecoder {
  private final Emitter e;

  ClusterDecoder(Emitter e) {
    this.e = e;
  }

  /** Accesses of the cluster are in the order of the program, so that no order asks for more. */
  void barrier(Form f) {
    boolean arrive = f.require("arrive", "wait").equals("arrive");
    f.take("aligned");
    if (arrive) {
      f.takeAny("release", "relaxed");
    } else {
      f.take("acquire");
    }
    f.done(0);
    e.emit(arrive ? new ClusterArriveOp() : new ClusterWaitOp());
  }

  private static PtxType unsigned(Form f) {
    PtxType t = f.type();
    if (t != PtxType.U32 && t != PtxType.U64) {
      throw f.error("needs .u32 or .u64");
    }
    return t;
  }

  /** {@code mapa}: where the shared memory of a block of the cluster is. */
  void map(Form f) {
    boolean generic = !f.take("shared::cluster");
    PtxType t = unsigned(f);
    f.done(3);
    int rank = e.ints(f.operand(2), PtxType.U32);
    Operand from = f.operand(1);
    if (t == PtxType.U32) {
      int a = e.ints(from, t);
      e.toInt(
          f.operand(0),
          t,
          (w, d) -> {
            for (int k = 0; k < d.length; k++) {
              d[k] = Cluster.map(w.i[a][k], w.i[rank][k]);
            }
          });
      return;
    }
    int a = e.longs(from, t);
    long window = generic ? Windows.SHARED : 0;
    e.toLong(
        f.operand(0),
        (w, d) -> {
          for (int k = 0; k < d.length; k++) {
            int mapped = Cluster.map((int) (w.l[a][k] - window), w.i[rank][k]);
            d[k] = window + Integer.toUnsignedLong(mapped);
          }
        });
  }

  /** {@code getctarank}: the block whose shared memory an address is in. */
  void rank(Form f) {
    boolean generic = !f.take("shared::cluster");
    PtxType t = unsigned(f);
    f.done(2);
    int own = e.registers.special(Special.CLUSTER_CTARANK);
    Operand from = f.operand(1);
    if (t == PtxType.U32) {
      int a = e.ints(from, t);
      e.toInt(
          f.operand(0),
          t,
          (w, d) -> {
            for (int k = 0; k < d.length; k++) {
              d[k] = Cluster.rank(Integer.toUnsignedLong(w.i[a][k]), w.i[own][k]);
            }
          });
      return;
    }
    int a = e.longs(from, t);
    long window = generic ? Windows.SHARED : 0;
    e.toInt(
        f.operand(0),
        PtxType.U32,
        (w, d) -> {
          for (int k = 0; k < d.length; k++) {
            d[k] = Cluster.rank(w.l[a][k] - window, w.i[own][k]);
          }
        });
  }
}
