package dev.reprise.benchmarks.host;

import dev.reprise.graph.host.DecodeHost;
import dev.reprise.graph.host.Request;
import dev.reprise.graph.host.RequestHandle;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A stretch of steps of a whole {@link DecodeHost} on the driver that does nothing, in the middle
 * of its requests. What counts are the counters of {@link StepCost}, of the host's thread; the time
 * that JMH gives is that of the whole run.
 */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init")
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 8)
@Measurement(iterations = 10)
@Fork(
    value = 2,
    jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED"})
public class ServedStep {

  private static final int CONTEXT = 1 << 18;
  private static final int MOST_TRIES = 100;
  private static final int MARGIN = 1 << 16;

  /** Sequences that decode. */
  @Param({"1", "16"})
  public int rows;

  /** Positions of a KV block: with as many as the context no row needs another. */
  @Param({"262144", "16"})
  public int blockSize;

  private EmptyServing serving;
  private DecodeHost host;
  private long hostThread;

  /** For JMH. */
  public ServedStep() {}

  /** Starts the host. */
  @Setup(Level.Trial)
  public void open() {
    serving = new EmptyServing(rows, blockSize, CONTEXT, 2);
    host = DecodeHost.start(serving.device(), serving.model(), serving.options());
    for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(false, false)) {
      if (thread.getThreadName().equals("decode host")) {
        hostThread = thread.getThreadId();
      }
    }
  }

  /** Serves as many requests as there are rows and looks at the middle of them. */
  @Benchmark
  public double serve(StepCost cost) throws InterruptedException {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      if (lookedAt(cost)) {
        return cost.cpuNanos;
      }
    }
    throw new IllegalStateException(
        "The requests ended before they were looked at, %d times; the machine is too busy"
            .formatted(MOST_TRIES));
  }

  /** Whether the requests were still running at both ends of what was looked at. */
  private boolean lookedAt(StepCost cost) throws InterruptedException {
    List<RequestHandle> handles = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      handles.add(host.submit(Request.greedy(new int[] {1, 2, 3}, CONTEXT)));
    }
    RequestHandle last = handles.getLast();
    await(last, MARGIN);
    int from = cost.begin(hostThread, last::tokenCount);
    await(last, CONTEXT - MARGIN);
    cost.end(from, last::tokenCount);
    boolean inTime = last.tokenCount() < CONTEXT - MARGIN / 2;
    for (RequestHandle handle : handles) {
      handle.await();
    }
    return inTime;
  }

  private static void await(RequestHandle handle, int tokens) throws InterruptedException {
    int count = handle.tokenCount();
    while (count < tokens) {
      Thread.sleep(1);
      count = handle.tokenCount();
    }
  }

  /** Frees everything. */
  @TearDown(Level.Trial)
  public void close() {
    serving.check(host.metrics().steps());
    host.close();
    serving.close();
  }
}
