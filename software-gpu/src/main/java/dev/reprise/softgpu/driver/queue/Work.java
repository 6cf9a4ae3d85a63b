package dev.reprise.softgpu.driver.queue;

/** One item of a queue. Whatever it throws is a fault of the queue's {@link FaultScope}. */
@FunctionalInterface
public interface Work {

  /** Does the work on the thread of the queue. */
  void run();

  /** True for work that is done even where an earlier fault makes everything else be skipped. */
  default boolean runsAfterFault() {
    return false;
  }
}
