package dev.reprise.graph.model;

/**
 * How many blocks of a kernel a multiprocessor holds at once, by the rules of NVIDIA's occupancy
 * calculator: registers are given to warps in lots of 256, the registers of a multiprocessor serve
 * warps in multiples of 4, shared memory is given in granules. The carve-out is taken to be the
 * largest.
 *
 * @param blocks resident blocks
 * @param warps resident warps
 * @param mostWarps warps that the multiprocessor can hold
 * @param limitedBy what runs out first
 */
public record Occupancy(int blocks, int warps, int mostWarps, Limit limitedBy) {

  /** What bounds the number of resident blocks. */
  public enum Limit {
    /** Resident warps. */
    WARPS,
    /** Resident blocks. */
    BLOCKS,
    /** Registers. */
    REGISTERS,
    /** Shared memory. */
    SHARED
  }

  private static final int LANES = 32;
  private static final int REGISTER_LOT = 256;
  private static final int WARP_LOT = 4;

  /**
   * The occupancy of a kernel; no blocks when one alone needs more than there is.
   *
   * @param threads threads of a block
   * @param registers registers of a thread
   * @param sharedBytes static and dynamic shared memory of a block
   * @throws IllegalArgumentException if a number is out of range on every device
   */
  public static Occupancy of(DeviceModel device, int threads, int registers, long sharedBytes) {
    check("threads of a block", threads, 1, DeviceModel.MAX_THREADS_PER_BLOCK);
    check("registers of a thread", registers, 1, DeviceModel.MAX_REGISTERS_PER_THREAD);
    check("shared memory of a block", sharedBytes, 0, Integer.MAX_VALUE);
    DeviceModel.Multiprocessor limits = device.limits();
    int warpsPerBlock = Math.ceilDiv(threads, LANES);
    int blocks = limits.warps() / warpsPerBlock;
    Limit limit = Limit.WARPS;
    if (limits.blocks() < blocks) {
      blocks = limits.blocks();
      limit = Limit.BLOCKS;
    }
    int byRegisters = warpsByRegisters(limits, registers) / warpsPerBlock;
    if (byRegisters < blocks) {
      blocks = byRegisters;
      limit = Limit.REGISTERS;
    }
    int byShared = blocksByShared(limits, sharedBytes);
    if (byShared < blocks) {
      blocks = byShared;
      limit = Limit.SHARED;
    }
    return new Occupancy(blocks, blocks * warpsPerBlock, limits.warps(), limit);
  }

  private static int warpsByRegisters(DeviceModel.Multiprocessor limits, int registers) {
    int perWarp = Math.ceilDiv(registers * LANES, REGISTER_LOT) * REGISTER_LOT;
    return limits.registers() / perWarp / WARP_LOT * WARP_LOT;
  }

  private static int blocksByShared(DeviceModel.Multiprocessor limits, long sharedBytes) {
    if (sharedBytes > limits.sharedBytesPerBlock()) {
      return 0;
    }
    long taken = sharedBytes + limits.reservedSharedBytes();
    long granted = Math.ceilDiv(taken, limits.sharedGranule()) * limits.sharedGranule();
    return granted == 0 ? Integer.MAX_VALUE : (int) (limits.sharedBytes() / granted);
  }

  private static void check(String what, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "the %s must be %d to %d: %d".formatted(what, least, most, value));
    }
  }

  /** Resident warps over those that could be resident, 0 to 1. */
  public double share() {
    return (double) warps / mostWarps;
  }
}
