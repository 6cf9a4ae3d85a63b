package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.engine.exec.BlockWatch.Access;
import dev.reprise.softgpu.engine.exec.Op;

/**
 * One execution of an instruction by a warp, as an access to global memory.
 *
 * @param strong whether it synchronises with others
 * @param names of the threads of its block
 * @param block number of the block that the warp belongs to, in the order in which they begin
 * @param time in the launch
 * @param bytes of each lane
 * @param lanes mask of those that take part
 * @param addresses of all lanes
 */
record KernelAccess(
    Op op,
    Access access,
    boolean strong,
    ThreadNames names,
    int block,
    int warp,
    long time,
    int bytes,
    int lanes,
    long[] addresses) {

  /** True when both are of one warp. */
  boolean sameWarp(KernelAccess other) {
    return block == other.block && warp == other.warp;
  }

  /**
   * Index of the first thread that accesses a byte at this address or of its word, in its block.
   */
  String thread(long address) {
    int lanes = lanesAt(address);
    if (lanes == 0) {
      throw new IllegalArgumentException("no lane accesses 0x%x".formatted(address));
    }
    return names.of(warp, Integer.numberOfTrailingZeros(lanes));
  }

  /** Mask of the lanes that access a byte of the word at this address. */
  int lanesAt(long address) {
    long word = address & -Integer.BYTES;
    int all = 0;
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      if (addresses[lane] < word + Integer.BYTES && addresses[lane] + bytes > word) {
        all |= 1 << lane;
      }
    }
    return all;
  }
}
