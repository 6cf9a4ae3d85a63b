package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.exec.LaunchWatch;
import dev.reprise.softgpu.memory.AddressSpace;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs kernel launches on the calling thread and a pool of daemon workers. Thread-safe. */
public final class Engine implements AutoCloseable {
  private final AddressSpace memory;
  private final int workers;
  private final Execution execution;
  private final WorkerTeam team;
  private Function<KernelCode, @Nullable LaunchWatch> watches = kernel -> null;

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
   * Runs the launch to its end. Several threads may call it at once. Results do not depend on the
   * number of workers, but for what the order of atomic operations of different blocks decides.
   *
   * @throws DeviceFault on an illegal or misaligned access, a trap or a deadlock; what the kernel
   *     wrote before stays written
   */
  public void run(LaunchRequest launch) {
    LaunchRun run = new LaunchRun(launch, memory, execution, watches.apply(launch.kernel()));
    long ticket = memory.beginAccess();
    try {
      int helpers = (int) Math.min(workers, run.blocks()) - 1;
      if (helpers > 0) {
        team.help(run, helpers);
      }
      run.work();
      // Memory must not change hands before the helpers have ended.
      run.awaitHelpers();
    } finally {
      memory.endAccess(ticket);
    }
    run.check();
  }

  /** Stops the workers. Launches must have ended. */
  @Override
  public void close() {
    team.close();
  }
}
