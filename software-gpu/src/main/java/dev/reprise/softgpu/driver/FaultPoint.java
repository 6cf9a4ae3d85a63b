package dev.reprise.softgpu.driver;

import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.faults.FaultInjector;
import dev.reprise.softgpu.driver.faults.WorkFault;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.faults.FaultRule;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a call of one function enters the driver, and fails if the installed plan says so. Without
 * a plan it costs one read.
 */
final class FaultPoint {

  private static final Logger LOG = LoggerFactory.getLogger("dev.reprise.softgpu.faults");

  /** What still does its work in a context that a fault has poisoned. */
  private static final Set<String> RELEASING =
      Set.of(
          "cuStreamDestroy_v2",
          "cuEventDestroy_v2",
          "cuMemFree_v2",
          "cuMemFreeAsync",
          "cuMemFreeHost",
          "cuMemHostUnregister",
          "cuMemUnmap",
          "cuMemRelease",
          "cuMemAddressFree",
          "cuMemPoolDestroy",
          "cuModuleUnload",
          "cuLibraryUnload",
          "cuGraphDestroy",
          "cuGraphExecDestroy",
          "cuUserObjectRelease",
          "cuGraphReleaseUserObject",
          "cuCtxDestroy_v2",
          "cuDevicePrimaryCtxRelease_v2");

  private static final MethodHandle IDLE;
  private static final MethodHandle COUNTED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      IDLE = lookup.findVirtual(FaultInjector.class, "idle", MethodType.methodType(boolean.class));
      COUNTED =
          lookup.findVirtual(
              FaultPoint.class, "counted", MethodType.methodType(int.class, Object[].class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final String symbol;
  private final MethodHandle function;
  private final FaultInjector injector;
  private final SoftwareGpu gpu;

  private FaultPoint(
      String symbol, MethodHandle function, FaultInjector injector, SoftwareGpu gpu) {
    this.symbol = symbol;
    this.function =
        function
            .asSpreader(Object[].class, function.type().parameterCount())
            .asType(MethodType.methodType(int.class, Object[].class));
    this.injector = injector;
    this.gpu = gpu;
  }

  /** The function, which now asks the injector first. */
  static MethodHandle around(
      String symbol, MethodHandle function, FaultInjector injector, SoftwareGpu gpu) {
    MethodHandle counted =
        COUNTED
            .bindTo(new FaultPoint(symbol, function, injector, gpu))
            .asCollector(Object[].class, function.type().parameterCount())
            .asType(function.type());
    return MethodHandles.guardWithTest(IDLE.bindTo(injector), function, counted);
  }

  // Called through the method handle above.
  @SuppressWarnings("unused")
  private int counted(Object[] arguments) throws Throwable {
    FaultRule rule = injector.called(symbol);
    if (rule == null) {
      return (int) function.invokeExact(arguments);
    }
    Result result = Result.of(rule.code());
    if (result == null) {
      throw new AssertionError(rule);
    }
    if (rule.what() == FaultRule.What.WORK) {
      return callWithFailingWork(result, arguments);
    }
    if (result.poisons()) {
      gpu.poison(result, symbol);
      if (RELEASING.contains(symbol)) {
        int code = (int) function.invokeExact(arguments);
        // A wrong handle is wrong in a poisoned context too.
        return code == Result.SUCCESS.code() ? result.code() : code;
      }
    }
    return result.code();
  }

  private int callWithFailingWork(Result result, Object[] arguments) throws Throwable {
    int code;
    boolean left;
    WorkFault.arm(symbol, result);
    try {
      code = (int) function.invokeExact(arguments);
    } finally {
      left = WorkFault.disarm();
    }
    if (left) {
      LOG.warn("This call of {} put no work into a stream; nothing fails.", symbol);
    }
    return code;
  }
}
