package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.support.Result;

/** An operation other than a kernel that failed while it ran, such as a copy from freed memory. */
public final class ExecutionFault extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final Result result;
  private final long address;

  public ExecutionFault(Result result, String message) {
    this(result, message, 0);
  }

  /** A fault at an address. */
  public ExecutionFault(Result result, String message, long address) {
    super(message);
    this.result = result;
    this.address = address;
  }

  /** The first address that hit nothing, or 0 where that is not what failed. */
  public long address() {
    return address;
  }

  /** The code that the context answers with from now on. */
  public Result result() {
    return result;
  }
}
