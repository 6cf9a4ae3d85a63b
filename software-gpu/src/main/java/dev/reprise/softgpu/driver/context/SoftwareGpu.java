package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.operation.HostCall;
import dev.reprise.softgpu.driver.sanitizer.Findings;
import dev.reprise.softgpu.driver.simulation.Simulator;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.engine.Execution;
import dev.reprise.softgpu.profile.Profiler;
import dev.reprise.softgpu.rules.OpenRule;
import dev.reprise.softgpu.rules.OpenRules;
import dev.reprise.softgpu.sanitizer.SanitizerOptions;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of the whole driver: one device, the handles, the captures, what threads have current.
 */
public final class SoftwareGpu {

  /** The CUDA version that this driver implements, as 1000 × major + 10 × minor. */
  public static final int DRIVER_VERSION = 13000;

  private final Handles handles = new Handles();
  private final ThreadLocal<ThreadState> threads = ThreadLocal.withInitial(ThreadState::new);
  private final RulesInForce rules = new RulesInForce();
  private final Captures captures = new Captures(handles, rules, threads::get);
  private final CaptureGuard guard = new CaptureGuard(captures);
  private final Simulator simulator;
  private final Device device;
  private final Profiler profiler;
  private @Nullable ExecutorService callbacks;
  private volatile boolean initialized;

  public SoftwareGpu(DeviceModel model) {
    this(model, Execution.ADAPTIVE);
  }

  /** A driver with one device of this model, whose kernels are executed in this way. */
  public SoftwareGpu(DeviceModel model, Execution execution) {
    this(model, execution, new Findings(SanitizerOptions.DEFAULT));
  }

  /** As the other one, with what is found put somewhere. */
  public SoftwareGpu(DeviceModel model, Execution execution, Findings findings) {
    this(model, execution, findings, new Simulator());
  }

  /** As the other one, with the scheduler of simulations. */
  public SoftwareGpu(
      DeviceModel model, Execution execution, Findings findings, Simulator simulator) {
    this.simulator = simulator;
    findings.seed(simulator::seed);
    this.device = new Device(handles, captures, model, execution, findings, simulator);
    this.profiler = new Profiler(device.engine());
  }

  /** {@code cuInit}. */
  public void initialize() {
    initialized = true;
  }

  public Handles handles() {
    return handles;
  }

  public Captures captures() {
    return captures;
  }

  /** What decides the order of asynchronous work in simulations. */
  public Simulator simulator() {
    return simulator;
  }

  /** The answers that this driver gives to open rules. */
  public RulesInForce rules() {
    return rules;
  }

  /** Gives these answers from now on, as if no context had been poisoned before. */
  public void rules(OpenRules chosen) {
    device.forgetLoss();
    rules.set(chosen);
  }

  /** Refuses a new context where an earlier fault forbids that. */
  public void checkNewContext() {
    Result lost = device.lostWith();
    if (lost != null && rules.takesSecond(OpenRule.CONTEXT_AFTER_FAULT)) {
      throw new CudaFailure(lost, "a context of this process was poisoned before");
    }
  }

  public CaptureGuard guard() {
    return guard;
  }

  /** The device; fails before {@link #initialize}. */
  public Device device() {
    checkCallable();
    return device;
  }

  /** The state of the calling thread; fails before {@link #initialize} and in host functions. */
  public ThreadState thread() {
    checkCallable();
    return threads.get();
  }

  /** Begins a call of this thread that means the thread's own stream by none. */
  public void enterPerThreadCall() {
    threads.get().nullStreamIsOwn(true);
  }

  /** Ends it. */
  public void leavePerThreadCall() {
    threads.get().nullStreamIsOwn(false);
  }

  private void checkCallable() {
    if (!initialized) {
      throw new CudaFailure(Result.NOT_INITIALIZED, "call cuInit first");
    }
    if (HostCall.inside()) {
      throw new CudaFailure(Result.NOT_PERMITTED, "host functions may not call the driver");
    }
  }

  /**
   * Poisons the context that is current to this thread, or else the primary one, as a fault of
   * earlier work would; does nothing where there is neither.
   *
   * @param at the call at which it shows
   */
  public void poison(Result result, String at) {
    Context context = threads.get().current();
    if (context == null || context.destroyed()) {
      context = device.primary();
    }
    if (context != null) {
      context.poison(result, "earlier work, seen by " + at, "the fault plan asks for it");
    }
  }

  /** Ends launches that take longer than this; 0 for no limit. */
  public void limitLaunches(long nanos) {
    device.engine().limitLaunches(nanos);
  }

  /** Hands what kernels print to this, instead of standard output. */
  public void redirectOutput(Consumer<String> sink) {
    device.engine().output().redirect(sink);
  }

  /** The profiler of the device, off at first. */
  public Profiler profiler() {
    return profiler;
  }

  /** What poisoned a context last, in words. */
  public Optional<String> lastFault() {
    return Optional.ofNullable(device.lastFault());
  }

  /** Limits the device memory that may be in use below the capacity. */
  public void limitMemory(long bytes) {
    device.memory().space().limit(bytes);
  }

  /** Runs destructors of the caller, one after the other, on a daemon thread. */
  public synchronized Executor callbacks() {
    ExecutorService executor = callbacks;
    if (executor == null) {
      executor =
          Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "softgpu-callbacks");
            thread.setDaemon(true);
            return thread;
          });
      callbacks = executor;
    }
    return executor;
  }
}
