package dev.reprise.softgpu.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Daemon threads that help with launches. A graph launches a kernel every few microseconds, much
 * faster than a sleeping thread can be woken, so a worker stays awake for a moment after each
 * launch before it sleeps.
 */
final class WorkerTeam {
  private static final long AWAKE_NANOS = 50_000;

  private final Worker[] workers;
  private volatile boolean closed;

  WorkerTeam(int size) {
    workers = new Worker[size];
    for (int k = 0; k < size; k++) {
      workers[k] = new Worker("software-gpu-worker-" + k);
      workers[k].start();
    }
  }

  /** Asks up to {@code wanted} workers that have nothing to do to work on a launch. */
  void help(LaunchRun run, int wanted) {
    int left = wanted;
    for (int k = 0; k < workers.length && left > 0; k++) {
      if (workers[k].offer(run)) {
        left--;
      }
    }
  }

  void close() {
    closed = true;
    for (Worker worker : workers) {
      LockSupport.unpark(worker);
    }
  }

  private final class Worker extends Thread {
    private volatile @Nullable LaunchRun task;
    private volatile boolean asleep;

    Worker(String name) {
      super(name);
      setDaemon(true);
    }

    boolean offer(LaunchRun run) {
      if (!TASK.compareAndSet(this, null, run)) {
        return false;
      }
      if (asleep) {
        LockSupport.unpark(this);
      }
      return true;
    }

    @Override
    public void run() {
      while (!closed) {
        LaunchRun run = await();
        if (run != null) {
          run.help();
          task = null;
        }
      }
    }

    private @Nullable LaunchRun await() {
      long start = System.nanoTime();
      while (System.nanoTime() - start < AWAKE_NANOS) {
        for (int spin = 0; spin < 64; spin++) {
          if (task != null) {
            return task;
          }
          Thread.onSpinWait();
        }
      }
      asleep = true;
      if (task == null && !closed) {
        LockSupport.park(WorkerTeam.this);
      }
      asleep = false;
      return task;
    }
  }

  private static final VarHandle TASK;

  static {
    try {
      TASK = MethodHandles.lookup().findVarHandle(Worker.class, "task", LaunchRun.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
