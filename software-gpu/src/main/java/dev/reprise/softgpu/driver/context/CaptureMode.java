package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.support.CudaFailure;

/** {@code CUstreamCaptureMode}: which calls of which threads a capture forbids. */
public enum CaptureMode {
  GLOBAL(0),
  THREAD_LOCAL(1),
  RELAXED(2);

  private final int code;

  CaptureMode(int code) {
    this.code = code;
  }

  /** The number in {@code cuda.h}. */
  public int code() {
    return code;
  }

  /** The mode of a number; {@code CUDA_ERROR_INVALID_VALUE} when there is none. */
  public static CaptureMode of(int code) {
    for (CaptureMode mode : values()) {
      if (mode.code == code) {
        return mode;
      }
    }
    throw CudaFailure.invalidValue("capture mode " + code + "; it is 0, 1 or 2");
  }
}
