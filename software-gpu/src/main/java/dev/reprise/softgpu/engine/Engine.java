package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.memory.AddressSpace;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs kernel launches on the calling thread and a pool of daemon workers. Thread-safe. */
public final class Engine implements AutoCloseable {
  private final AddressSpace memory;
  private final int workers;
  private final ExecutorService pool;

  /**
   * @param workers threads that may work on one launch, the calling thread included; at least 1
   */
  public Engine(AddressSpace memory, int workers) {
    if (workers < 1) {
      throw new IllegalArgumentException("at least one worker is needed, not " + workers);
    }
    this.memory = memory;
    this.workers = workers;
    pool =
        Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("software-gpu-worker-", 0).factory());
  }

  /**
   * Runs the launch to its end. Several threads may call it at once. Results do not depend on the
   * number of workers, but for what the order of atomic operations of different blocks decides.
   *
   * @throws DeviceFault on an illegal or misaligned access, a trap or a deadlock; what the kernel
   *     wrote before stays written
   */
  public void run(LaunchRequest launch) {
    LaunchRun run = new LaunchRun(launch, memory);
    long ticket = memory.beginAccess();
    try {
      int helpers = (int) Math.min(workers, run.blocks()) - 1;
      if (helpers == 0) {
        run.work();
      } else {
        share(run, helpers);
      }
    } finally {
      memory.endAccess(ticket);
    }
    run.check();
  }

  private void share(LaunchRun run, int helpers) {
    CountDownLatch ended = new CountDownLatch(helpers);
    for (int k = 0; k < helpers; k++) {
      pool.execute(() -> {
        try {
          run.work();
        } finally {
          ended.countDown();
        }
      });
    }
    run.work();
    boolean interrupted = false;
    while (true) {
      try {
        ended.await();
        break;
      } catch (InterruptedException e) {
        // Memory must not change hands before the helpers have ended.
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops the workers. Launches must have ended. */
  @Override
  public void close() {
    pool.shutdown();
  }
}
