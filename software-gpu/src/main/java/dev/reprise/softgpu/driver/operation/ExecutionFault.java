package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.support.Result;

/** An operation other than a kernel that failed while it ran, such as a copy from freed memory. */
public final class ExecutionFault extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final Result result;

  public ExecutionFault(Result result, String message) {
    super(message);
    this.result = result;
  }

  /** The code that the context answers with from now on. */
  public Result result() {
    return result;
  }
}
