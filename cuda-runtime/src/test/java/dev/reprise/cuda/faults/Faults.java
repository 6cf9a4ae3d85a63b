package dev.reprise.cuda.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.Settling;
import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.faults.FaultInjection;
import dev.reprise.softgpu.faults.FaultPlan;
import dev.reprise.softgpu.faults.FaultRule;
import dev.reprise.softgpu.faults.FaultSession;
import java.util.List;

/** The fault injection of the driver of this process. */
final class Faults {

  /** {@code CUDA_ERROR_UNKNOWN}: an error with no meaning of its own, which poisons nothing. */
  static final int UNKNOWN = 999;

  /** {@code CUDA_ERROR_LAUNCH_FAILED}, which poisons. */
  static final int LAUNCH_FAILED = 719;

  private Faults() {}

  private static FaultInjection injection() {
    return SoftwareDriver.ofProcess()
        .orElseThrow(() -> new AssertionError("these tests run on the software GPU"))
        .faults();
  }

  /** Notes the calls of this thread. */
  static FaultSession watch() {
    return injection().install(FaultPlan.NONE, Thread.currentThread());
  }

  /** Notes the calls of all threads. */
  static FaultSession watchAll() {
    return injection().install(FaultPlan.NONE);
  }

  /** Has the nth call of this thread fail, whatever it is. */
  static FaultSession failCall(int use, int code) {
    return injection()
        .install(FaultPlan.of(FaultRule.call(FaultRule.ANY, use, code)), Thread.currentThread());
  }

  /** Has the nth call of a function fail, on any thread. */
  static FaultSession failUse(String function, int use, int code) {
    return injection().install(FaultPlan.of(FaultRule.call(function, use, code)));
  }

  /**
   * Destroys the primary context, which a release that was made to fail has left retained: poisoned
   * by a later test it would stay so.
   */
  static void resetContext() {
    assertThat(cuda_h.cuDevicePrimaryCtxReset_v2(0)).isZero();
  }

  /** The driver calls of an operation, in order. */
  static List<String> callsOf(Operation operation) {
    // Once beforehand: the first use of a function looks it up.
    callsOnce(operation);
    return callsOnce(operation);
  }

  private static List<String> callsOnce(Operation operation) {
    List<String> calls;
    Workbench bench = new Workbench();
    try {
      Runnable body = operation.prepare().apply(bench);
      Settling.settle(bench.device);
      try (FaultSession watch = watch()) {
        body.run();
        calls = watch.calls();
      }
    } finally {
      bench.close();
    }
    bench.assertReleased();
    return calls;
  }
}
