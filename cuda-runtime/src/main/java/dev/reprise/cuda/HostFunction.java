package dev.reprise.cuda;

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
}
