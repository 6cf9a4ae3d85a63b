package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.engine.exec.BlockWatch.Access;
import dev.reprise.softgpu.engine.exec.Op;

/**
 * One execution of an instruction by a warp, as an access to global memory.
 *
 * @param strong whether it synchronises with others
 * @param block that the warp belongs to
 * @param epoch of the block
 * @param time of the block
 * @param bytes of each lane
 * @param lanes mask of those that take part
 * @param addresses of all lanes
 */
record KernelAccess(
    Op op,
    Access access,
    boolean strong,
    GlobalWatch.OfBlock block,
    int warp,
    int epoch,
    int time,
    int bytes,
    int lanes,
    long[] addresses) {

  /** True when both are of one warp. */
  boolean sameWarp(KernelAccess other) {
    return block == other.block && warp == other.warp;
  }

  /** The first lane that accesses a byte at this address or of its word. */
  int lane(long address) {
    long word = address & -Integer.BYTES;
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      if (addresses[lane] < word + Integer.BYTES && addresses[lane] + bytes > word) {
        return lane;
      }
    }
    throw new IllegalArgumentException("no lane accesses 0x%x".formatted(address));
  }
}
