package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.engine.KernelCode;

/**
 * How many blocks of a kernel are resident on one multiprocessor at once: the least that threads,
 * blocks, registers and shared memory allow, with the allocation units of compute capability 9.0.
 */
public final class Occupancy {

  private static final int MAX_REGISTERS_PER_THREAD = 255;
  private static final int REGISTER_UNIT_PER_WARP = 256;
  private static final int REGISTERS_PER_THREAD_UNIT = 8;
  private static final int SHARED_UNIT = 128;

  private Occupancy() {}

  /** Registers of a thread; the engine's estimate, as a compiler would cut it. */
  public static int registersPerThread(KernelCode code) {
    return Math.clamp(code.registers(), 1, MAX_REGISTERS_PER_THREAD);
  }

  /** Resident blocks; 0 when not even one can launch. */
  public static int blocksPerMultiprocessor(KernelCode code, int threads, long dynamicShared) {
    long shared = code.staticSharedBytes() + dynamicShared;
    if (threads > code.maxThreadsPerBlock() || shared > DeviceModel.SHARED_PER_BLOCK_OPTIN) {
      return 0;
    }
    int warps = roundUp(threads, DeviceModel.WARP_SIZE) / DeviceModel.WARP_SIZE;
    int byThreads = DeviceModel.MAX_THREADS_PER_MULTIPROCESSOR / (warps * DeviceModel.WARP_SIZE);
    long blockShared =
        (long) roundUp((int) shared, SHARED_UNIT) + DeviceModel.SHARED_RESERVED_PER_BLOCK;
    int byShared = (int) (DeviceModel.SHARED_PER_MULTIPROCESSOR / blockShared);
    int byRegisters = DeviceModel.REGISTERS / (warps * registersPerWarp(code, warps));
    return Math.min(
        Math.min(byThreads, byShared),
        Math.min(byRegisters, DeviceModel.MAX_BLOCKS_PER_MULTIPROCESSOR));
  }

  private static int registersPerWarp(KernelCode code, int warps) {
    // A compiler spills until a block of the largest allowed size fits.
    int most = DeviceModel.REGISTERS / (warps * DeviceModel.WARP_SIZE);
    int fitting = most / REGISTERS_PER_THREAD_UNIT * REGISTERS_PER_THREAD_UNIT;
    int registers = Math.min(registersPerThread(code), fitting);
    return roundUp(registers * DeviceModel.WARP_SIZE, REGISTER_UNIT_PER_WARP);
  }

  private static int roundUp(int value, int unit) {
    return (value + unit - 1) / unit * unit;
  }
}
