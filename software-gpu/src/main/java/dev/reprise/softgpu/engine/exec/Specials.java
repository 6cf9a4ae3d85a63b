package dev.reprise.softgpu.engine.exec;

import java.util.Arrays;

/**
 * Fills the special registers of a block's warps. What is equal in all warps is one array that they
 * share.
 */
final class Specials {
  private final Program program;
  private final Block.Shape shape;
  private final Warp[] warps;

  /** Whether the program asks for something of its cluster. */
  private final boolean asksForCluster;

  Specials(Program program, Block.Shape shape, Warp[] warps) {
    this.program = program;
    this.shape = shape;
    this.warps = warps;
    asksForCluster =
        program.specials().stream()
            .anyMatch(slot -> slot.special().compareTo(Program.Special.CLUSTER_CTAID_X) >= 0);
    for (Program.SpecialSlot slot : program.specials()) {
      int[] shared = new int[Warp.LANES];
      for (Warp w : warps) {
        w.i[slot.index()] = perWarp(slot.special()) ? new int[Warp.LANES] : shared;
        fixed(slot.special(), w, w.i[slot.index()]);
      }
    }
  }

  private static boolean perWarp(Program.Special s) {
    return switch (s) {
      case TID_X, TID_Y, TID_Z, WARPID -> true;
      default -> false;
    };
  }

  /** Values that follow from the shape alone. */
  private void fixed(Program.Special s, Warp w, int[] to) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int thread = w.index * Warp.LANES + lane;
      to[lane] =
          switch (s) {
            case TID_X -> thread % shape.x();
            case TID_Y -> thread / shape.x() % shape.y();
            case TID_Z -> thread / (shape.x() * shape.y());
            case NTID_X -> shape.x();
            case NTID_Y -> shape.y();
            case NTID_Z -> shape.z();
            case LANEID -> lane;
            case WARPID -> w.index;
            case NWARPID -> warps.length;
            case LANEMASK_EQ -> 1 << lane;
            case LANEMASK_LT -> (1 << lane) - 1;
            case LANEMASK_LE -> -1 >>> (31 - lane);
            case LANEMASK_GT -> -2 << lane;
            case LANEMASK_GE -> -1 << lane;
            case DYNAMIC_SMEM_SIZE -> shape.sharedBytes() - program.staticSharedBytes();
            case TOTAL_SMEM_SIZE -> shape.sharedBytes();
            // One multiprocessor runs everything.
            case SMID, GRIDID, ENVREG1, ENVREG2 -> 0;
            case NSMID -> 1;
            // Known when a block begins.
            default -> 0;
          };
    }
  }

  /** The address that %envreg1 (high half) and %envreg2 (low half) hold. */
  void workspace(long address) {
    for (Program.SpecialSlot slot : program.specials()) {
      int[] to = warps[0].i[slot.index()];
      if (slot.special() == Program.Special.ENVREG1) {
        Arrays.fill(to, (int) (address >>> 32));
      } else if (slot.special() == Program.Special.ENVREG2) {
        Arrays.fill(to, (int) address);
      }
    }
  }

  /** Values of one block of a grid of {@code gx x gy x gz} blocks. */
  void block(long x, int y, int z, int gx, int gy, int gz) {
    Warp first = warps[0];
    for (Program.SpecialSlot slot : program.specials()) {
      int[] to = first.i[slot.index()];
      switch (slot.special()) {
        case CTAID_X -> Arrays.fill(to, (int) x);
        case CTAID_Y -> Arrays.fill(to, y);
        case CTAID_Z -> Arrays.fill(to, z);
        case NCTAID_X -> Arrays.fill(to, gx);
        case NCTAID_Y -> Arrays.fill(to, gy);
        case NCTAID_Z -> Arrays.fill(to, gz);
        default -> {}
      }
    }
  }

  /**
   * Values of the cluster of such a block.
   *
   * @param rank of the block in it
   * @param explicit whether the launch asked for clusters
   */
  void cluster(
      long x,
      int y,
      int z,
      int gx,
      int gy,
      int gz,
      Cluster.Shape cluster,
      int rank,
      boolean explicit) {
    if (!asksForCluster) {
      return;
    }
    for (Program.SpecialSlot slot : program.specials()) {
      int[] to = warps[0].i[slot.index()];
      switch (slot.special()) {
        case CLUSTER_CTAID_X -> Arrays.fill(to, (int) x % cluster.x());
        case CLUSTER_CTAID_Y -> Arrays.fill(to, y % cluster.y());
        case CLUSTER_CTAID_Z -> Arrays.fill(to, z % cluster.z());
        case CLUSTER_CTARANK -> Arrays.fill(to, rank);
        case CLUSTER_NCTAID_X -> Arrays.fill(to, cluster.x());
        case CLUSTER_NCTAID_Y -> Arrays.fill(to, cluster.y());
        case CLUSTER_NCTAID_Z -> Arrays.fill(to, cluster.z());
        case CLUSTER_NCTARANK -> Arrays.fill(to, cluster.blocks());
        case CLUSTERID_X -> Arrays.fill(to, (int) x / cluster.x());
        case CLUSTERID_Y -> Arrays.fill(to, y / cluster.y());
        case CLUSTERID_Z -> Arrays.fill(to, z / cluster.z());
        case NCLUSTERID_X -> Arrays.fill(to, gx / cluster.x());
        case NCLUSTERID_Y -> Arrays.fill(to, gy / cluster.y());
        case NCLUSTERID_Z -> Arrays.fill(to, gz / cluster.z());
        case IS_EXPLICIT_CLUSTER -> Arrays.fill(to, explicit ? 1 : 0);
        default -> {}
      }
    }
  }
}
