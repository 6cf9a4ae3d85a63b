package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.exec.Counts;
import dev.reprise.softgpu.engine.exec.DeviceHeap;
import dev.reprise.softgpu.engine.exec.Interleaving;
import dev.reprise.softgpu.engine.exec.LaunchWatch;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.ptx.PtxException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Runs kernel launches on the calling thread and a pool of daemon workers. Thread-safe. */
public final class Engine implements AutoCloseable {
  private final AddressSpace memory;
  private final int workers;
  private final Execution execution;
  private final WorkerTeam team;
  private Function<KernelCode, @Nullable LaunchWatch> watches = kernel -> null;
  private final KernelResources resources;
  private LongSupplier interleavings = () -> 0;
  private final DeviceOutput output = new DeviceOutput();
  private final CodeCache code;

  /** What a launch may take in nanoseconds; 0 for no limit. */
  private volatile long limitNanos;

  private volatile @Nullable LaunchObserver observer;

  /**
   * @param workers threads that may work on one launch, the calling thread included; at least 1
   */
  public Engine(AddressSpace memory, int workers) {
    this(memory, workers, Execution.ADAPTIVE);
  }

  public Engine(AddressSpace memory, int workers, Execution execution) {
    if (workers < 1) {
      throw new IllegalArgumentException("at least one worker is needed, not " + workers);
    }
    this.memory = memory;
    this.workers = workers;
    this.execution = execution;
    team = new WorkerTeam(workers - 1);
    code = new CodeCache(memory);
    DeviceHeap heap = new DeviceHeap(memory, KernelResources.HEAP_BYTES);
    resources = new KernelResources(heap, KernelResources.STACK_BYTES);
  }

  /**
   * Loads a module as {@link LoadedModule#load} does; code that was decoded before for the same
   * text is taken again where it can be.
   */
  public LoadedModule load(String ptx) throws PtxException {
    return code.load(ptx);
  }

  /** What kernels print. */
  public DeviceOutput output() {
    return output;
  }

  /** What kernels allocate whose launch names no resources. */
  public DeviceHeap heap() {
    return resources.heap();
  }

  /**
   * Ends launches that begin from now on with {@link DeviceFault#LAUNCH_TIMEOUT} once they have
   * taken so long. It is looked at whenever a warp waits or has jumped back a few ten thousand
   * times.
   *
   * @param nanos 0 for no limit, as at first
   */
  public void limitLaunches(long nanos) {
    if (nanos < 0) {
      throw new IllegalArgumentException("a launch cannot be limited to " + nanos + " ns");
    }
    limitNanos = nanos;
  }

  /**
   * Counts what launches do that begin from now on, and interprets them for it.
   *
   * @param told who is told what each has done; null for nobody, as at first
   */
  public void observe(@Nullable LaunchObserver told) {
    observer = told;
  }

  /**
   * Has the accesses of launches seen. To be called before the first launch, on an engine with one
   * worker that interprets.
   *
   * @param source asked on the launching thread by each launch; null where nobody wants to see it
   */
  public void watch(Function<KernelCode, @Nullable LaunchWatch> source) {
    if (workers != 1 || execution != Execution.INTERPRETED) {
      throw new IllegalStateException("accesses are seen by one worker that interprets");
    }
    watches = source;
  }

  /**
   * Has the order of blocks and warps be decided by seeds.
   *
   * @param seeds asked on the launching thread by each launch; 0 for the plain order
   */
  public void interleave(LongSupplier seeds) {
    interleavings = seeds;
  }

  /**
   * Runs the launch to its end. Several threads may call it at once. Results do not depend on the
   * number of workers, but for what the order of atomic operations of different blocks decides.
   *
   * @throws DeviceFault on an illegal or misaligned access, a trap or a deadlock; what the kernel
   *     wrote before stays written
   */
  public void run(LaunchRequest launch) {
    long limit = limitNanos;
    long deadline = limit == 0 ? 0 : Math.max(1, System.nanoTime() + limit);
    LaunchObserver observing = observer;
    Counts counts = observing == null ? null : new Counts();
    LaunchWatch watch = watches.apply(launch.kernel());
    KernelResources given = launch.resources();
    KernelResources all = given == null ? resources : given;
    long seed = interleavings.getAsLong();
    Interleaving interleaving = seed == 0 ? null : new Interleaving(seed);
    LaunchRun run =
        new LaunchRun(launch, memory, execution, all, deadline, counts, watch, interleaving);
    long ticket = memory.beginAccess();
    try {
      int helpers = (int) Math.min(workers, run.clusters()) - 1;
      if (helpers > 0 && interleaving == null) {
        team.help(run, helpers);
      }
      run.work();
      // Memory must not change hands before the helpers have ended.
      run.awaitHelpers();
    } finally {
      memory.endAccess(ticket);
      output.append(run.end());
    }
    if (observing != null && counts != null) {
      observing.ended(launch, counts);
    }
    run.check();
  }

  /** Stops the workers. Launches must have ended. */
  @Override
  public void close() {
    team.close();
  }
}
