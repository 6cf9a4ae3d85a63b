package dev.reprise.softgpu.driver.support;

/**
 * A call that the rules refuse: the code that the function returns, and for people why.
 *
 * <p>It ends a driver function from anywhere inside; the entry point turns it into the code. It has
 * no stack trace, as it is an answer and not a fault of this program.
 */
public final class CudaFailure extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final Result result;

  public CudaFailure(Result result, String why) {
    super(why, null, false, false);
    this.result = result;
  }

  /** What the function returns. */
  public Result result() {
    return result;
  }

  /** {@code CUDA_ERROR_INVALID_VALUE} and why. */
  public static CudaFailure invalidValue(String why) {
    return new CudaFailure(Result.INVALID_VALUE, why);
  }

  /** {@code CUDA_ERROR_INVALID_HANDLE} and why. */
  public static CudaFailure invalidHandle(String why) {
    return new CudaFailure(Result.INVALID_HANDLE, why);
  }

  /** {@code CUDA_ERROR_NOT_SUPPORTED}: legal, but nothing that this driver does. */
  public static CudaFailure notSupported(String what) {
    return new CudaFailure(Result.NOT_SUPPORTED, what + " is not supported by the software GPU");
  }
}
