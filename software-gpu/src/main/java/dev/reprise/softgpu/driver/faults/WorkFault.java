package dev.reprise.softgpu.driver.faults;

import dev.reprise.softgpu.driver.operation.ExecutionFault;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.support.Result;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Lets the work that a call puts into a stream fail while it runs. Armed on the calling thread for
 * the time of the call; the first work that the thread submits then takes it.
 */
public final class WorkFault {

  private static final ThreadLocal<@Nullable WorkFault> ARMED = new ThreadLocal<>();

  /** Threads on which one is armed; while it is 0, which is nearly always, nobody need look. */
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final String function;
  private final Result result;

  private WorkFault(String function, Result result) {
    this.function = function;
    this.result = result;
  }

  /** Arms a fault for the call that this thread is in. */
  public static void arm(String function, Result result) {
    ARMED.set(new WorkFault(function, result));
    COUNT.incrementAndGet();
  }

  /** Ends the call; true if no work took the fault. */
  public static boolean disarm() {
    COUNT.decrementAndGet();
    boolean left = ARMED.get() != null;
    ARMED.remove();
    return left;
  }

  /** The work, or what fails in its place if a fault is armed. */
  public static Work instead(Work work) {
    if (COUNT.get() == 0) {
      return work;
    }
    WorkFault armed = ARMED.get();
    if (armed == null) {
      return work;
    }
    ARMED.remove();
    return armed.new Failing(work);
  }

  private final class Failing implements Work {
    private final Work work;

    Failing(Work work) {
      this.work = work;
    }

    @Override
    public void run() {
      if (work.runsAfterFault()) {
        work.run();
      }
      throw new ExecutionFault(result, "the fault plan asks for it");
    }

    @Override
    public boolean runsAfterFault() {
      return work.runsAfterFault();
    }

    @Override
    public String toString() {
      return "work of " + function;
    }
  }
}
