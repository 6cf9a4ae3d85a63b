package dev.reprise.benchmarks.host;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
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

  void end(int steps) {
    cpuNanos = (double) (THREADS.getThreadCpuTime(thread) - cpuBefore) / steps;
    bytes = (double) (THREADS.getThreadAllocatedBytes(thread) - bytesBefore) / steps;
  }
}
