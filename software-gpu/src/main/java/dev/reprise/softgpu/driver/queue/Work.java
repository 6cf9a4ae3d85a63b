package dev.reprise.softgpu.driver.queue;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One item of a queue. Whatever it throws is a fault of the queue's {@link FaultScope}. */
@FunctionalInterface
public interface Work {

  /** Does the work on the thread of the queue. */
  void run();

  /** Tells what it does to memory, where that is known before it runs. */
  default void accesses(AccessSink sink) {}

  /** What it consists of, where that is several pieces of work. */
  default List<? extends Work> parts() {
    return List.of();
  }

  /** A run of it in pieces; null where it is one piece. */
  default @Nullable Steps steps() {
    return null;
  }

  /** A run of it in pieces, or in one. */
  default Steps asSteps() {
    Steps steps = steps();
    return steps == null ? new WholeWork(this) : steps;
  }

  /** False while {@link #run} would only wait for others. */
  default boolean ready() {
    return true;
  }

  /** True when it may go on waiting for others after it was {@link #ready}. */
  default boolean mayWait() {
    return callsHost();
  }

  /** True when it calls a function of the program. */
  default boolean callsHost() {
    return false;
  }

  /** True for work that is done even where an earlier fault makes everything else be skipped. */
  default boolean runsAfterFault() {
    return false;
  }
}
