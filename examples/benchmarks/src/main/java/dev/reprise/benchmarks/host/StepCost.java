package dev.reprise.benchmarks.host;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.IntSupplier;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * What a step costs the thread that makes it: CPU time, which other programs on the machine do not
 * lengthen as they do wall time, and bytes allocated.
 */
@AuxCounters(AuxCounters.Type.EVENTS)
@State(Scope.Thread)
public class StepCost {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Nanoseconds of CPU time for each step. */
  public double cpuNanos;

  /** Bytes on the Java heap for each step. */
  public double bytes;

  /** What the other thread may run between the reading of its steps and that of its time. */
  private static final long SKEW_NANOS = 20_000;

  private long thread;
  private long cpuBefore;
  private long bytesBefore;

  /** For JMH. */
  public StepCost() {}

  void begin(long threadId) {
    thread = threadId;
    bytesBefore = THREADS.getThreadAllocatedBytes(thread);
    cpuBefore = THREADS.getThreadCpuTime(thread);
  }

  /**
   * As {@link #begin(long)}, of a thread that goes on meanwhile.
   *
   * @return the steps that it had made then
   */
  int begin(long threadId, IntSupplier stepsNow) {
    while (true) {
      begin(threadId);
      int steps = stepsNow.getAsInt();
      if (THREADS.getThreadCpuTime(thread) - cpuBefore < SKEW_NANOS) {
        return steps;
      }
    }
  }

  /** As {@link #end(int)}, of a thread that goes on meanwhile. */
  void end(int from, IntSupplier stepsNow) {
    while (true) {
      int steps = stepsNow.getAsInt();
      long cpu = THREADS.getThreadCpuTime(thread);
      end(steps - from);
      if (THREADS.getThreadCpuTime(thread) - cpu < SKEW_NANOS) {
        return;
      }
    }
  }

  void end(int steps) {
    cpuNanos = (double) (THREADS.getThreadCpuTime(thread) - cpuBefore) / steps;
    bytes = (double) (THREADS.getThreadAllocatedBytes(thread) - bytesBefore) / steps;
  }
}
