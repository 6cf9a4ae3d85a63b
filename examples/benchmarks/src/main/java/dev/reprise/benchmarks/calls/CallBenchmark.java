package dev.reprise.benchmarks.calls;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/** What the benchmarks of single calls have in common: nanoseconds per call. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public abstract class CallBenchmark {
  /** For subclasses. */
  protected CallBenchmark() {}
}
