package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.engine.KernelResources;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The limits of a context ({@code CUlimit}). Those of the stack and the heap bound what kernels
 * take; the others are kept for those who ask. Thread-safe.
 */
public final class ContextLimits {

  /** Local memory of a thread for functions that call themselves. */
  public static final int STACK_BYTES = 0;

  /** The buffer for what kernels print. */
  public static final int PRINT_BYTES = 1;

  /** The heap that kernels allocate from. */
  public static final int HEAP_BYTES = 2;

  /** The most local memory that a thread of a GPU can have. */
  private static final long LARGEST_STACK = 512 << 10;

  private static final Map<Integer, Long> DEFAULTS =
      Map.of(
          STACK_BYTES,
          (long) KernelResources.STACK_BYTES,
          PRINT_BYTES,
          1L << 20,
          HEAP_BYTES,
          KernelResources.HEAP_BYTES,
          4,
          2048L, // pending launches from the device
          5,
          128L, // bytes fetched into the second-level cache at once
          6,
          0L); // bytes of the second-level cache kept for persisting accesses

  private final Map<Integer, Long> values = new ConcurrentHashMap<>(DEFAULTS);
  private final Set<Integer> settled = ConcurrentHashMap.newKeySet();

  /** A limit; {@code CUDA_ERROR_UNSUPPORTED_LIMIT} for one that the device lacks. */
  public long get(int limit) {
    Long value = values.get(limit);
    if (value == null) {
      throw unsupported(limit);
    }
    return value;
  }

  /** Changes a limit; a stack that no thread can have becomes the largest one. */
  public void set(int limit, long value) {
    if (value < 0) {
      throw CudaFailure.invalidValue("limit " + limit + " of " + value);
    }
    if (settled.contains(limit)) {
      throw CudaFailure.invalidValue(
          "limit %d must be set before the first launch of a kernel that depends on it"
              .formatted(limit));
    }
    long kept = limit == STACK_BYTES ? Math.min(value, LARGEST_STACK) : value;
    if (values.replace(limit, kept) == null) {
      throw unsupported(limit);
    }
  }

  /** Has a limit stay as it is from now on. */
  void settle(int limit) {
    settled.add(limit);
  }

  private static CudaFailure unsupported(int limit) {
    return new CudaFailure(Result.UNSUPPORTED_LIMIT, "the device has no limit " + limit);
  }
}
