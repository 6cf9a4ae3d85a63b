package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.exec.FaultPlace;
import org.jspecify.annotations.Nullable;

/**
 * A kernel that did what a device stops for. The message names kernel, PTX line, block, thread,
 * address and nearest allocation.
 */
public final class DeviceFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** CUDA_ERROR_ILLEGAL_ADDRESS. */
  public static final int ILLEGAL_ADDRESS = 700;

  /** CUDA_ERROR_LAUNCH_TIMEOUT. */
  public static final int LAUNCH_TIMEOUT = 702;

  /** CUDA_ERROR_ASSERT. */
  public static final int ASSERT = 710;

  /** CUDA_ERROR_MISALIGNED_ADDRESS. */
  public static final int MISALIGNED_ADDRESS = 716;

  /** CUDA_ERROR_LAUNCH_FAILED: a trap or a deadlock. */
  public static final int LAUNCH_FAILED = 719;

  private final int cudaError;
  private final transient @Nullable FaultPlace place;

  public DeviceFault(int cudaError, String message) {
    this(cudaError, message, null);
  }

  DeviceFault(int cudaError, String message, @Nullable FaultPlace place) {
    super(message);
    this.cudaError = cudaError;
    this.place = place;
  }

  /** Where it happened, where that is known. */
  public @Nullable FaultPlace place() {
    return place;
  }

  /** The CUresult that the driver must return from now on. */
  public int cudaError() {
    return cudaError;
  }
}
