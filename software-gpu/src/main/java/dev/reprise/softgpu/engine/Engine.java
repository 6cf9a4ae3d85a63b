package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.memory.AddressSpace;

/** Runs kernel launches on the calling thread and a pool of daemon workers. Thread-safe. */
public final class Engine implements AutoCloseable {
  private final AddressSpace memory;
  private final int workers;

  /**
   * @param workers threads that may work on one launch, the calling thread included; at least 1
   */
  public Engine(AddressSpace memory, int workers) {
    if (workers < 1) {
      throw new IllegalArgumentException("at least one worker is needed, not " + workers);
    }
    this.memory = memory;
    this.workers = workers;
  }

  /**
   * Runs the launch to its end. Several threads may call it at once.
   *
   * @throws DeviceFault on an illegal or misaligned access, a trap or a deadlock; what the kernel
   *     wrote before stays written
   */
  public void run(LaunchRequest launch) {
    throw new IllegalStateException(
        "no engine for "
            + launch.kernel().name()
            + " on "
            + workers
            + " workers, "
            + memory.usedBytes());
  }

  /** Stops the workers. Launches must have ended. */
  @Override
  public void close() {}
}
