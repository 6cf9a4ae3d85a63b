package dev.reprise.bindings;

/**
 * A driver function was called that the loaded driver library does not have.
 *
 * <p>Thrown by the call itself, each time it is made; nothing else of the binding is affected.
 */
public final class MissingEntryPointException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String function;
  private final int requiredVersion;
  private final int driverVersion;

  MissingEntryPointException(
      String function, int requiredVersion, int driverVersion, String library) {
    super(
        "The driver library %s (CUDA %s) has no %s, which needs a driver for CUDA %s or newer."
            .formatted(
                library,
                driverVersion == 0 ? "version unknown" : CudaVersion.text(driverVersion),
                function,
                requiredVersion == 0
                    ? "of an unknown version"
                    : CudaVersion.text(requiredVersion)));
    this.function = function;
    this.requiredVersion = requiredVersion;
    this.driverVersion = driverVersion;
  }

  /** The exported symbol that was not found, such as {@code cuGraphAddNode_v2}. */
  public String function() {
    return function;
  }

  /** The CUDA version that introduced the function, as 1000 × major + 10 × minor; 0 if unknown. */
  public int requiredVersion() {
    return requiredVersion;
  }

  /** The CUDA version of the driver, as 1000 × major + 10 × minor; 0 if it did not say. */
  public int driverVersion() {
    return driverVersion;
  }
}
