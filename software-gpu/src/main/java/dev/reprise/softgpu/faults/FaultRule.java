package dev.reprise.softgpu.faults;

import dev.reprise.softgpu.driver.support.Result;

/**
 * One call, or a run of calls, that is to fail.
 *
 * <p>A call that fails does nothing and answers the code. With a code that poisons a context
 * ({@code CUDA_ERROR_ILLEGAL_ADDRESS} and its like) the current context is poisoned first, as if
 * work issued earlier had failed just now; a call that destroys or frees something still does so
 * then, as it does in a context that a real fault has poisoned.
 *
 * @param function the exported symbol, such as {@code cuMemAlloc_v2}, or {@link #ANY}
 * @param firstUse the use that fails first: the first call of the function is use 1; for {@link
 *     #ANY} all calls are counted together
 * @param lastUse the use that fails last; {@code Long.MAX_VALUE} for no end
 * @param code the {@code CUresult}, not 0
 * @param what what fails
 */
public record FaultRule(String function, long firstUse, long lastUse, int code, What what) {

  /** Stands for every function. */
  public static final String ANY = "*";

  /** What fails. */
  public enum What {
    /** The call. */
    CALL,
    /** The work that the call puts into a stream, while it runs; the call itself succeeds. */
    WORK
  }

  /** Refuses what can never happen. */
  public FaultRule {
    if (function.isBlank()) {
      throw new IllegalArgumentException("a rule names a function of the driver, or *");
    }
    if (firstUse < 1 || lastUse < firstUse) {
      throw new IllegalArgumentException(
          "uses are counted from 1; %d to %d are none".formatted(firstUse, lastUse));
    }
    Result result = Result.of(code);
    if (result == null || result == Result.SUCCESS) {
      throw new IllegalArgumentException(code + " is no error code of the driver");
    }
    if (what == What.WORK && !result.poisons()) {
      throw new IllegalArgumentException(
          "work fails with a code that poisons its context, such as CUDA_ERROR_ILLEGAL_ADDRESS or CUDA_ERROR_LAUNCH_FAILED, not with "
              + result.constant());
    }
  }

  /** The nth call of a function fails. */
  public static FaultRule call(String function, long use, int code) {
    return new FaultRule(function, use, use, code, What.CALL);
  }

  /** Every call of a function from the nth on fails. */
  public static FaultRule callsFrom(String function, long use, int code) {
    return new FaultRule(function, use, Long.MAX_VALUE, code, What.CALL);
  }

  /** The work of the nth call of a function fails. */
  public static FaultRule work(String function, long use, int code) {
    return new FaultRule(function, use, use, code, What.WORK);
  }

  /** Whether it counts the calls of a function. */
  public boolean counts(String symbol) {
    return function.equals(ANY) || function.equals(symbol);
  }

  /** The rule as text, see {@link FaultPlan#parse}. */
  @Override
  public String toString() {
    Result result = Result.of(code);
    String uses =
        lastUse == firstUse
            ? Long.toString(firstUse)
            : firstUse + (lastUse == Long.MAX_VALUE ? "+" : "-" + lastUse);
    return "%s#%s=%s%s"
        .formatted(
            function,
            uses,
            result == null ? Integer.toString(code) : result.constant(),
            what == What.WORK ? "@work" : "");
  }
}
