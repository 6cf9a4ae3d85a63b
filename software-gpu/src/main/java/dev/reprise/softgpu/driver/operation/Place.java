package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One side of a copy or fill: rows of bytes in device, pinned or pageable memory.
 *
 * @param kind what the caller says the address is
 * @param address of the first byte
 * @param pitch bytes from one row to the next
 * @param slice bytes from one slice to the next
 */
public record Place(Kind kind, long address, long pitch, long slice) {

  /** What a caller can say about an address. */
  public enum Kind {
    /** Memory of the host, pinned or pageable. */
    HOST,
    /** Memory that kernels can address. */
    DEVICE,
    /** Either; the address decides. */
    UNIFIED
  }

  /** Bytes in a row. */
  public static Place line(Kind kind, long address) {
    return new Place(kind, address, 0, 0);
  }

  /**
   * How many bytes lie between the first and the last byte of a box of this size, inclusive; {@code
   * CUDA_ERROR_INVALID_VALUE} when that is more than a number can hold.
   */
  public long extent(long width, long height, long depth) {
    if (width == 0 || height == 0 || depth == 0) {
      return 0;
    }
    try {
      long rows = Math.multiplyExact(height - 1, pitch);
      long slices = Math.multiplyExact(depth - 1, slice);
      return Math.addExact(Math.addExact(slices, rows), width);
    } catch (ArithmeticException e) {
      throw CudaFailure.invalidValue(
          "a box of %d x %d x %d with pitch %d and slice %d"
              .formatted(width, height, depth, pitch, slice));
    }
  }

  /** True when the bytes are in host memory that the driver was not told about. */
  public boolean pageable(DeviceMemory memory) {
    return mayBeHost() && memory.space().locate(address) == null;
  }

  /** True when the bytes are host memory, pinned or pageable. */
  public boolean onHost(DeviceMemory memory) {
    Allocation allocation = memory.space().locate(address);
    return allocation == null ? mayBeHost() : allocation.base() < AddressSpace.FIRST_ADDRESS;
  }

  private boolean mayBeHost() {
    return kind != Kind.DEVICE && Long.compareUnsigned(address, AddressSpace.FIRST_ADDRESS) < 0;
  }

  /**
   * Refuses a range that the call cannot mean: unmapped, too long, or of the other kind. Memory of
   * a graph may be named before the graph has allocated it.
   */
  public void check(DeviceMemory memory, long bytes, String argument) {
    String problem = problem(memory, bytes);
    if (problem != null && (kind == Kind.HOST || !memory.graphMemory().covers(address, bytes))) {
      throw CudaFailure.invalidValue(argument + ": " + problem);
    }
  }

  /**
   * Makes sure at the time the operation runs that the bytes can be accessed.
   *
   * @throws ExecutionFault when the memory was freed after the call was made
   */
  void checkAtRun(DeviceMemory memory, long bytes, Supplier<String> user) {
    String problem = problem(memory, bytes);
    if (problem != null) {
      throw new ExecutionFault(
          Result.ILLEGAL_ADDRESS,
          user.get() + ": " + problem,
          address + memory.mapped(address, bytes));
    }
  }

  private @Nullable String problem(DeviceMemory memory, long bytes) {
    Allocation allocation = memory.space().locate(address);
    if (allocation != null) {
      if (!allocation.contains(address, bytes) && memory.mapped(address, bytes) < bytes) {
        return "%d bytes at 0x%x end beyond %s".formatted(bytes, address, allocation);
      }
      if (kind == Kind.HOST && allocation.base() >= AddressSpace.FIRST_ADDRESS) {
        return "0x%x is device memory, not host memory".formatted(address);
      }
      return null;
    }
    if (kind == Kind.DEVICE || address >= AddressSpace.FIRST_ADDRESS || address <= 0) {
      Allocation nearest = memory.space().nearest(address);
      return "0x%x is in no live allocation%s"
          .formatted(address, nearest == null ? "" : "; the nearest is " + nearest);
    }
    return null;
  }
}
