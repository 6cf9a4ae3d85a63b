package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.ptx.Space;
import java.util.List;

/** Sees what the threads of one block do to memory, before it is done and after it was checked. */
public interface BlockWatch {

  /** What an access does. */
  enum Access {
    READ,
    WRITE,
    /** Reads and writes at once, with respect to all others. */
    ATOMIC,
    /** Writes later, see {@link #arrived}. */
    WRITE_LATER,
    /** Reads later, see {@link #taken}; only of shared memory. */
    READ_LATER;

    /** Whether it changes memory, now or later. */
    public boolean writes() {
      return switch (this) {
        case WRITE, ATOMIC, WRITE_LATER -> true;
        case READ, READ_LATER -> false;
      };
    }
  }

  /**
   * Lanes of a warp access global or shared memory, or any by generic addresses.
   *
   * @param warp number of the warp in the block
   * @param op line and text of the instruction
   * @param strong whether it synchronises with others: atomics, volatile, relaxed and stronger
   * @param space that the addresses are in; generic ones may lie in {@link Windows}
   * @param bytes of each lane's access
   * @param lanes mask of those that take part
   * @param addresses of all 32 lanes, the watch's to keep
   */
  void access(
      int warp,
      Op op,
      Access access,
      boolean strong,
      Space space,
      int bytes,
      int lanes,
      long[] addresses);

  /**
   * Lanes of a warp of another block of the cluster access shared memory of this block.
   *
   * @param by what sees that block
   * @param addresses in shared memory of this block, not to be kept
   */
  void remote(
      BlockWatch by,
      int warp,
      Op op,
      Access access,
      boolean strong,
      int bytes,
      int lanes,
      long[] addresses);

  /**
   * What a lane began to write has been written.
   *
   * @param op what began it
   * @param address in shared memory
   * @param awaited whether the lane waited for it itself; else a barrier in memory tracked it
   */
  void arrived(int warp, int lane, Op op, long address, int bytes, boolean awaited);

  /**
   * What a lane began to read of shared memory has been read.
   *
   * @param op what began it
   * @param awaited whether the lane waited for it itself
   */
  void taken(int warp, int lane, Op op, long address, int bytes, boolean awaited);

  /**
   * Lanes of a warp make a fence.
   *
   * @param lanes mask of them
   */
  void fence(int warp, int lanes, Op op);

  /** A barrier of the block has completed, of all its threads or of some. */
  void barrier();

  /**
   * The barrier of the cluster has opened.
   *
   * @param all what sees the blocks of the cluster, this one too
   */
  void clusterBarrier(List<BlockWatch> all);

  /** Lanes of a warp have met at an instruction for which they wait for each other. */
  void warpMet(int warp);

  /** Lanes of one warp wait for one barrier at two instructions. */
  void diverged(int warp, int lanes, Op here, Op there);

  /** A lane reads the register of a lane that does not execute the instruction with it. */
  void absent(int warp, int lane, int source, Op op);
}
