package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The limits of a context ({@code CUlimit}). That of the heap bounds what kernels allocate; the
 * others are kept for those who ask.
 */
public final class ContextLimits {

  /** The limit of the heap that kernels allocate from. */
  public static final int HEAP_BYTES = 2;

  private static final Map<Integer, Long> DEFAULTS =
      Map.of(
          0,
          1024L, // stack bytes of a thread
          1,
          1L << 20, // bytes for printf
          HEAP_BYTES,
          8L << 20, // heap for malloc in kernels
          4,
          2048L, // pending launches from the device
          5,
          128L, // bytes fetched into the second-level cache at once
          6,
          0L); // bytes of the second-level cache kept for persisting accesses

  private final Map<Integer, Long> values = new ConcurrentHashMap<>(DEFAULTS);

  /** A limit; {@code CUDA_ERROR_UNSUPPORTED_LIMIT} for one that the device lacks. */
  public long get(int limit) {
    Long value = values.get(limit);
    if (value == null) {
      throw unsupported(limit);
    }
    return value;
  }

  /** Changes a limit. */
  public void set(int limit, long value) {
    if (value < 0) {
      throw CudaFailure.invalidValue("limit " + limit + " of " + value);
    }
    if (values.replace(limit, value) == null) {
      throw unsupported(limit);
    }
  }

  private static CudaFailure unsupported(int limit) {
    return new CudaFailure(Result.UNSUPPORTED_LIMIT, "the device has no limit " + limit);
  }
}
