package dev.reprise.softgpu.driver.context;

/**
 * What the device says about itself and what launches are checked against. The limits are those of
 * compute capability 9.0 (CUDA Programming Guide, "Technical Specifications per Compute
 * Capability"); there are as many multiprocessors as threads that run blocks.
 *
 * @param name as {@code cuDeviceGetName} gives it
 * @param multiprocessors blocks that run at once
 * @param memoryBytes capacity of the device memory
 */
public record DeviceModel(String name, int multiprocessors, long memoryBytes) {

  public static final int MAJOR = 9;
  public static final int MINOR = 0;
  public static final int WARP_SIZE = 32;
  public static final int MAX_THREADS_PER_BLOCK = 1024;
  public static final int MAX_BLOCK_X = 1024;
  public static final int MAX_BLOCK_Y = 1024;
  public static final int MAX_BLOCK_Z = 64;
  public static final int MAX_GRID_X = Integer.MAX_VALUE;
  public static final int MAX_GRID_Y = 65535;
  public static final int MAX_GRID_Z = 65535;
  public static final int REGISTERS = 65536;
  public static final int MAX_THREADS_PER_MULTIPROCESSOR = 2048;
  public static final int MAX_BLOCKS_PER_MULTIPROCESSOR = 32;
  public static final int SHARED_PER_BLOCK = 48 << 10;
  public static final int SHARED_PER_BLOCK_OPTIN = 227 << 10;
  public static final int SHARED_PER_MULTIPROCESSOR = 228 << 10;
  public static final int SHARED_RESERVED_PER_BLOCK = 1 << 10;
  public static final int CONSTANT_BYTES = 64 << 10;

  /** A device with this many threads and this much memory. */
  public static DeviceModel of(int workers, long memoryBytes) {
    return new DeviceModel(
        "Reprise Software GPU (%d %s)".formatted(workers, workers == 1 ? "worker" : "workers"),
        workers,
        memoryBytes);
  }
}
