package dev.reprise.softgpu.driver;

import dev.reprise.softgpu.driver.context.ErrorLog;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns what a function throws into the code that it returns. Nothing gets past it: an exception
 * that leaves an upcall ends the process.
 */
final class Guard {

  private static final Logger LOG = LoggerFactory.getLogger("dev.reprise.softgpu.driver");

  private Guard() {}

  /** The function with every exception caught, and what the driver says about it logged. */
  static MethodHandle around(String symbol, MethodHandle function, ErrorLog log) {
    MethodHandle answer;
    try {
      answer =
          MethodHandles.lookup()
              .findStatic(
                  Guard.class,
                  "answer",
                  MethodType.methodType(int.class, String.class, ErrorLog.class, Throwable.class));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the handler of exceptions is missing", e);
    }
    return MethodHandles.catchException(
        function, Throwable.class, MethodHandles.insertArguments(answer, 0, symbol, log));
  }

  // Called through the method handle above.
  @SuppressWarnings("unused")
  private static int answer(String symbol, ErrorLog log, Throwable thrown) {
    if (thrown instanceof CudaFailure failure) {
      try {
        log.add(
            "%s: %s (%d): %s"
                .formatted(
                    symbol,
                    failure.result().constant(),
                    failure.result().code(),
                    failure.getMessage()));
        LOG.debug("{} answers {}: {}", symbol, failure.result().constant(), failure.getMessage());
      } catch (RuntimeException | Error logging) {
        // A logger that fails must not change the answer, nor end the process.
        return failure.result().code();
      }
      return failure.result().code();
    }
    try {
      LOG.error("{} failed inside the software GPU", symbol, thrown);
    } catch (RuntimeException | Error logging) {
      return Result.UNKNOWN.code();
    }
    return Result.UNKNOWN.code();
  }
}
