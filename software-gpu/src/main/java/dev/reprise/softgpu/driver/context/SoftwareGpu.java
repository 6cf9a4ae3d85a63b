package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.operation.HostCall;
import dev.reprise.softgpu.driver.sanitizer.Findings;
import dev.reprise.softgpu.driver.sanitizer.Tracing;
import dev.reprise.softgpu.driver.simulation.Simulator;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.engine.Execution;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.OpenAccesses;
import dev.reprise.softgpu.profile.Profiler;
import dev.reprise.softgpu.rules.OpenRule;
import dev.reprise.softgpu.rules.OpenRules;
import dev.reprise.softgpu.sanitizer.SanitizerOptions;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The state of the whole driver: the devices, the handles, the captures, what threads have current.
 */
public final class SoftwareGpu {

  /** The CUDA version that this driver implements, as 1000 × major + 10 × minor. */
  public static final int DRIVER_VERSION = 13000;

  private final Handles handles = new Handles();
  private final ThreadLocal<ThreadState> threads = ThreadLocal.withInitial(ThreadState::new);
  private final RulesInForce rules = new RulesInForce();
  private final ErrorLog errorLog = new ErrorLog();
  private final Captures captures = new Captures(handles, rules, threads::get);
  private final CaptureGuard guard = new CaptureGuard(captures);
  private final List<Device> devices;
  private final Peers peers;
  private final SharedSemaphores semaphores = new SharedSemaphores();
  private final Simulator simulator;
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
    this(1, model, execution, findings);
  }

  /** As the other one, with the scheduler of simulations. */
  public SoftwareGpu(
      DeviceModel model, Execution execution, Findings findings, Simulator simulator) {
    this(1, model, execution, findings, simulator);
  }

  /** As the other one, with several devices of the model, each with memory of its own. */
  public SoftwareGpu(int count, DeviceModel model, Execution execution, Findings findings) {
    this(count, model, execution, findings, new Simulator());
  }

  /** As the other one, with the scheduler of simulations, which all devices share. */
  public SoftwareGpu(
      int count, DeviceModel model, Execution execution, Findings findings, Simulator simulator) {
    this.simulator = simulator;
    findings.seed(simulator::seed);
    OpenAccesses accesses = new OpenAccesses();
    Tracing tracing = new Tracing(findings);
    this.devices =
        IntStream.range(0, count)
            .mapToObj(index ->
                new Device(
                    index,
                    new AddressSpace(model.memoryBytes(), index, count, accesses),
                    handles,
                    captures,
                    model,
                    execution,
                    tracing,
                    simulator))
            .toList();
    this.peers = new Peers(devices);
    this.profiler = new Profiler(devices.stream().map(Device::engine).toList());
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

  /** What the driver has to say about calls that failed. */
  public ErrorLog errorLog() {
    return errorLog;
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
    devices.forEach(Device::forgetLoss);
    rules.set(chosen);
  }

  /** Refuses a new context where an earlier fault forbids that. */
  public void checkNewContext() {
    if (!rules.takesSecond(OpenRule.CONTEXT_AFTER_FAULT)) {
      return;
    }
    for (Device device : devices) {
      Result lost = device.lostWith();
      if (lost != null) {
        throw new CudaFailure(lost, "a context of this process was poisoned before");
      }
    }
  }

  public CaptureGuard guard() {
    return guard;
  }

  /** The first device; fails before {@link #initialize} and in host functions. */
  public Device device() {
    return devices().getFirst();
  }

  /** The devices by their numbers; fails before {@link #initialize} and in host functions. */
  public List<Device> devices() {
    checkCallable();
    return devices;
  }

  /** The semaphores that were imported. */
  public SharedSemaphores semaphores() {
    return semaphores;
  }

  /** Which memory of the others a device can access. */
  public Peers peers() {
    return peers;
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
      context = devices.getFirst().primary();
    }
    if (context != null) {
      context.poison(result, "earlier work, seen by " + at, "the fault plan asks for it");
    }
  }

  /** Ends launches that take longer than this; 0 for no limit. */
  public void limitLaunches(long nanos) {
    devices.forEach(device -> device.engine().limitLaunches(nanos));
  }

  /** Hands what kernels print to this, instead of standard output. */
  public void redirectOutput(Consumer<String> sink) {
    devices.forEach(device -> device.engine().output().redirect(sink));
  }

  /** The profiler of the devices, off at first. */
  public Profiler profiler() {
    return profiler;
  }

  /** What poisoned a context last, in words. */
  public Optional<String> lastFault() {
    return devices.stream().map(Device::lastFault).filter(Objects::nonNull).findFirst();
  }

  /** Limits the memory of each device that may be in use below the capacity. */
  public void limitMemory(long bytes) {
    devices.forEach(device -> device.memory().space().limit(bytes));
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
