package dev.reprise.bindings;

/** CUDA versions as the driver API writes them: 1000 × major + 10 × minor. */
public final class CudaVersion {

  private CudaVersion() {}

  /** {@code 12030} as {@code 12.3}. */
  public static String text(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }
}
