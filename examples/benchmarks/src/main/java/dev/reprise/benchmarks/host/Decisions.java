package dev.reprise.benchmarks.host;

import dev.reprise.graph.kv.BlockMemory;
import dev.reprise.graph.kv.KvBlocks;
import dev.reprise.graph.kv.KvLayout;
import dev.reprise.graph.schedule.Decision;
import dev.reprise.graph.schedule.Priority;
import dev.reprise.graph.schedule.ScheduleListener;
import dev.reprise.graph.schedule.ScheduledSequence;
import dev.reprise.graph.schedule.Scheduler;
import dev.reprise.graph.schedule.SchedulerOptions;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the scheduler takes to decide a step and to take note of its results, with requests waiting:
 * no driver, no device. Eight rows decode; requests have flows, priorities and deadlines. What
 * counts are the counters of {@link StepCost}, for each decision.
 */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init")
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 8)
@Measurement(iterations = 10)
@Fork(2)
public class Decisions {

  private static final int ROWS = 8;
  private static final int STEPS = 100_000;
  private static final int LONG = 1 << 17;
  private static final int SHORT = 1 << 10;
  private static final int FLOWS = 16;

  /** Requests in the queue. */
  @Param({"1", "10", "100", "1000"})
  public int waiting;

  private Scheduler<Waiting> scheduler;
  private long submitted;

  /** For JMH. */
  public Decisions() {}

  /** A request. */
  static final class Waiting extends ScheduledSequence {
    Waiting(long number, int maxLength) {
      super(
          "r" + number,
          new int[] {1, 2, 3},
          maxLength,
          Priority.NORMAL,
          "flow " + number % FLOWS,
          Long.MAX_VALUE - 1 - number % 1000);
    }
  }

  private void fill() {
    KvBlocks blocks = new KvBlocks(new KvLayout(1, 1, 32, LONG), 2 * ROWS + 2, BlockMemory.NONE);
    scheduler =
        new Scheduler<>(blocks, new SchedulerOptions(2000, ROWS, 8, ""), new NobodyListens());
    for (int i = 0; i < ROWS; i++) {
      submit(LONG);
    }
    while (scheduler.rowCount() < ROWS) {
      decide();
    }
    for (int i = 0; i < waiting; i++) {
      submit(SHORT);
    }
  }

  private void submit(int maxLength) {
    scheduler.submit(new Waiting(submitted++, maxLength));
  }

  private void decide() {
    Decision<Waiting> decision = scheduler.next(0);
    int rows = scheduler.rowCount();
    scheduler.launched(decision);
    for (int i = 0; i < rows; i++) {
      Waiting row = scheduler.row(i);
      while (row.inFlight() > 0) {
        scheduler.read(row, 7);
      }
    }
  }

  /** The rows go on and nobody comes or goes. */
  @Benchmark
  public int goOn(StepCost cost) {
    fill();
    cost.begin(Thread.currentThread().threadId());
    for (int i = 0; i < STEPS; i++) {
      decide();
    }
    cost.end(STEPS);
    return scheduler.rowCount();
  }

  /** Before each decode step one sequence ends, one is admitted and one joins the queue. */
  @Benchmark
  public int comeAndGo(StepCost cost) {
    fill();
    cost.begin(Thread.currentThread().threadId());
    for (int i = 0; i < STEPS; i++) {
      scheduler.end(scheduler.row(i % ROWS));
      submit(SHORT);
      decide();
      while (scheduler.rowCount() < ROWS) {
        decide();
      }
    }
    cost.end(STEPS);
    return scheduler.rowCount();
  }

  /** Nothing listens. */
  private static final class NobodyListens implements ScheduleListener<Waiting> {
    @Override
    public void joined(Waiting s, int row) {}

    @Override
    public void moved(Waiting s, int from, int to) {}

    @Override
    public void left(Waiting s, int lastRow) {}

    @Override
    public void admitted(Waiting s) {}

    @Override
    public void regrown(Waiting s) {}

    @Override
    public void released(Waiting s) {}

    @Override
    public void preempted(Waiting s) {}

    @Override
    public void expired(Waiting s) {}
  }
}
