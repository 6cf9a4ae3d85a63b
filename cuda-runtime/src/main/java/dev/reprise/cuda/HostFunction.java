package dev.reprise.cuda;

import java.util.Objects;
import java.util.concurrent.Executor;

/**
 * Java code that runs in the order of a stream, or as a node of a graph.
 *
 * <p>It runs on a thread of the driver, after the work before it; the work behind it waits for it.
 * It must be quick, must not call the runtime except to close objects ({@link
 * IllegalStateException} otherwise), and must not wait for work of the device, or for a lock that
 * is held by a thread that does. What it throws goes to {@link
 * dev.reprise.cuda.diagnostics.DiagnosticsListener#hostFunctionFailed}, and the work behind it goes
 * on. After a fault of the device that loses the context it is not run any more.
 *
 * <p>When the process ends, those that were issued are waited for, up to 5 seconds, and no other is
 * begun: {@link dev.reprise.cuda.diagnostics.DiagnosticsListener#hostWorkLeft} tells what was left.
 * A function that calls {@link System#exit} makes that wait last its whole time.
 *
 * <p>See CUDA Driver API, "Execution Control", {@code cuLaunchHostFunc}.
 */
@FunctionalInterface
public interface HostFunction {

  /** Does the work. */
  void run() throws Exception;

  /**
   * A function that only hands a task to an executor: for what may take long, waits, or calls the
   * runtime.
   *
   * <p><b>The stream does not wait for the task</b>, only for {@link Executor#execute} to return.
   * The work behind it goes on while the task waits for its turn or runs, and may overwrite what
   * the task reads; what the task writes is not there for that work. Where the stream must wait for
   * the task, let it wait for a number that the task writes ({@link Stream#waitValue32}).
   *
   * <ul>
   *   <li>A graph hands the task over at each replay. Of several tasks, the executor decides which
   *       run at once and in what order.
   *   <li>The task may do all that its thread may. If the executor runs it within {@code execute}
   *       ({@code Runnable::run}, or a policy of "caller runs"), that is a thread of the driver,
   *       with the rules above.
   *   <li>{@code execute} must not block, as that of an executor with a bounded queue might: the
   *       stream would stand still.
   *   <li>If the executor refuses the task, it is not run, and {@link
   *       java.util.concurrent.RejectedExecutionException} goes to the listener as any failure of
   *       the function. What the task throws is the executor's affair.
   *   <li>What the task uses is kept by the task, not by the stream. At the end of the process the
   *       tasks that were issued are handed over; whether they are run, the executor decides.
   * </ul>
   */
  static HostFunction handingOff(Runnable task, Executor executor) {
    return new HandOff(
        Objects.requireNonNull(task, "task"), Objects.requireNonNull(executor, "executor"));
  }
}
