package dev.reprise.softgpu.driver.context;

/** {@code CUstreamCaptureStatus}. */
public enum CaptureStatus {
  NONE(0),
  ACTIVE(1),
  INVALIDATED(2);

  private final int code;

  CaptureStatus(int code) {
    this.code = code;
  }

  /** The number in {@code cuda.h}. */
  public int code() {
    return code;
  }
}
