package dev.reprise.cuda;

import java.util.concurrent.Executor;

/**
 * Hands a task to an executor and returns, see {@link HostFunction#handingOff}.
 *
 * @param task what the executor is given
 * @param executor who runs it
 */
record HandOff(Runnable task, Executor executor) implements HostFunction {

  @Override
  public void run() {
    executor.execute(task);
  }

  /** The same, with something to do first on the thread of the task. */
  HandOff behind(Runnable first) {
    return new HandOff(
        () -> {
          first.run();
          task.run();
        },
        executor);
  }
}
