package dev.reprise.cuda;

/**
 * A driver call failed. Nothing was created by the call.
 *
 * <p>See CUDA Driver API, "Data types used by CUDA driver", {@code CUresult}, for the codes.
 */
public class CudaException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int code;
  private final String name;
  private final String function;
  private final String arguments;
  private final String driverText;
  private final boolean contextPoisoned;

  CudaException(
      int code,
      String name,
      String function,
      String arguments,
      String driverText,
      boolean contextPoisoned,
      String detail) {
    super(
        "%s(%s) failed with %s (%d): %s.%s%s"
            .formatted(
                function,
                arguments,
                name,
                code,
                driverText,
                contextPoisoned
                    ? " The context is poisoned: every later call in this process fails too."
                    : "",
                detail.isEmpty() ? "" : "\n" + detail));
    this.code = code;
    this.name = name;
    this.function = function;
    this.arguments = arguments;
    this.driverText = driverText;
    this.contextPoisoned = contextPoisoned;
  }

  /** The {@code CUresult} of the call. */
  public int code() {
    return code;
  }

  /** The name of the code, such as {@code CUDA_ERROR_OUT_OF_MEMORY}. */
  public String name() {
    return name;
  }

  /** The driver function that failed, such as {@code cuMemAlloc_v2}. */
  public String function() {
    return function;
  }

  /** The arguments of the call that say what was asked for, as {@code name=value}. */
  public String arguments() {
    return arguments;
  }

  /** The driver's own description of the code. */
  public String driverText() {
    return driverText;
  }

  /**
   * Whether the error is sticky: the context is lost and every later call that uses it will fail
   * with the same code, until the process ends.
   */
  public boolean contextPoisoned() {
    return contextPoisoned;
  }
}
