package dev.reprise.softgpu.driver.queue;

/** What stops when a piece of work fails: a context. Thread-safe. */
public interface FaultScope {

  /** True once something failed; the queues then skip what they hold. */
  boolean failed();

  /** True once it failed or goes away: loops and waits that might never end then give up. */
  default boolean ending() {
    return failed();
  }

  /** Reports what a piece of work threw. */
  void fail(Work work, Throwable fault);
}
