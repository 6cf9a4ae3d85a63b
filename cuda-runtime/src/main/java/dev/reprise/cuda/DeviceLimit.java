package dev.reprise.cuda;

/** A limit of the context of a device (CUDA Driver API, {@code cuCtxSetLimit}). */
public enum DeviceLimit {
  /** Bytes of stack of each thread. */
  STACK_BYTES,
  /** Bytes of the buffer of {@code printf} in kernels. */
  PRINTF_BUFFER_BYTES,
  /** Bytes of the heap of {@code malloc} in kernels. */
  MALLOC_HEAP_BYTES,
  /** Launches made by kernels that may be pending. */
  PENDING_DEVICE_LAUNCHES,
  /** Bytes fetched into the second-level cache at once; a hint. */
  L2_FETCH_BYTES,
  /** Bytes of the second-level cache kept for accesses that persist. */
  PERSISTING_L2_CACHE_BYTES
}
