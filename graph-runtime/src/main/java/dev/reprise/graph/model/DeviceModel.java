package dev.reprise.graph.model;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Limits and rates of a device as its maker publishes them: CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability", and the device's data sheet. Rates are peaks that no
 * program reaches; 16-bit rates are dense tensor-core rates with 32-bit accumulation.
 *
 * @param name as commands write it
 * @param title as people write it
 * @param architecture such as {@code sm_90}
 * @param multiprocessors how many there are
 * @param limits what one multiprocessor can hold
 * @param bytesPerSecond bandwidth of device memory
 * @param flopsHalf 16-bit floating-point operations a second on tensor cores
 * @param flopsSingle 32-bit floating-point operations a second
 */
public record DeviceModel(
    String name,
    String title,
    String architecture,
    int multiprocessors,
    Multiprocessor limits,
    double bytesPerSecond,
    double flopsHalf,
    double flopsSingle) {

  /**
   * What one multiprocessor can hold.
   *
   * @param warps resident warps
   * @param blocks resident blocks
   * @param registers registers of 32 bits
   * @param sharedBytes shared memory of all blocks
   * @param sharedBytesPerBlock the most that one block may have, reserved bytes not counted
   * @param reservedSharedBytes what the system takes of each block's shared memory
   * @param sharedGranule bytes in whose multiples shared memory is given out
   */
  public record Multiprocessor(
      int warps,
      int blocks,
      int registers,
      int sharedBytes,
      int sharedBytesPerBlock,
      int reservedSharedBytes,
      int sharedGranule) {}

  private static final int KIB = 1024;
  private static final Multiprocessor SM_75 =
      new Multiprocessor(32, 16, 65_536, 64 * KIB, 64 * KIB, 0, 256);
  private static final Multiprocessor SM_80 =
      new Multiprocessor(64, 32, 65_536, 164 * KIB, 163 * KIB, KIB, 128);
  private static final Multiprocessor SM_89 =
      new Multiprocessor(48, 24, 65_536, 100 * KIB, 99 * KIB, KIB, 128);
  private static final Multiprocessor SM_90 =
      new Multiprocessor(64, 32, 65_536, 228 * KIB, 227 * KIB, KIB, 128);

  /** The devices that are known by name. */
  public static final List<DeviceModel> ALL =
      List.of(
          new DeviceModel("h200", "H200 SXM", "sm_90", 132, SM_90, 4.8e12, 989e12, 67e12),
          new DeviceModel("h100", "H100 SXM", "sm_90", 132, SM_90, 3.35e12, 989e12, 67e12),
          new DeviceModel("a100", "A100 SXM 80 GB", "sm_80", 108, SM_80, 2.039e12, 312e12, 19.5e12),
          new DeviceModel("rtx4090", "RTX 4090", "sm_89", 128, SM_89, 1.008e12, 165.2e12, 82.6e12),
          new DeviceModel("l4", "L4", "sm_89", 58, SM_89, 0.3e12, 121e12, 30.3e12),
          new DeviceModel("t4", "T4", "sm_75", 40, SM_75, 0.32e12, 65e12, 8.1e12));

  /**
   * The device of a name.
   *
   * @throws IllegalArgumentException if it is not known; the message lists those that are
   */
  public static DeviceModel named(String name) {
    return ALL.stream()
        .filter(device -> device.name.equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "unknown device \"%s\"; known are %s"
                    .formatted(
                        name,
                        ALL.stream().map(DeviceModel::name).collect(Collectors.joining(", ")))));
  }

  /** The most threads that a block may have, on every device (the same guide). */
  public static final int MAX_THREADS_PER_BLOCK = 1024;

  /** Registers that a thread may have, on every device. */
  public static final int MAX_REGISTERS_PER_THREAD = 255;

  /** Operations a second for elements of so many bytes: tensor cores for 2, else 32-bit. */
  public double flops(int elementBytes) {
    return elementBytes == 2 ? flopsHalf : flopsSingle;
  }
}
