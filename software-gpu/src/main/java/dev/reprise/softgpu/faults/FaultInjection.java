package dev.reprise.softgpu.faults;

/**
 * How tests make the calls of one driver fail, and see which calls are made. Thread-safe.
 *
 * <p>Reached by {@link dev.reprise.softgpu.SoftwareDriver#faults}.
 */
public interface FaultInjection {

  /**
   * Installs a plan for the calls of all threads. Uses are counted from now on.
   *
   * @throws IllegalArgumentException if a rule names a function that the driver lacks
   * @throws IllegalStateException if another plan is installed
   */
  FaultSession install(FaultPlan plan);

  /** As {@link #install(FaultPlan)}; the calls of other threads are neither counted nor failed. */
  FaultSession install(FaultPlan plan, Thread caller);
}
