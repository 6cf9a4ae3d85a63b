package dev.reprise.graph.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.kv.BlockMemory;
import dev.reprise.graph.kv.KvBlocks;
import dev.reprise.graph.kv.KvLayout;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** A decision looks at the rows and at the head of the queue, however long the queue is. */
class DecisionCostTest {

  private static final int DECISIONS = 200;

  /** Counts how often the scheduler looks at what orders requests. */
  private static final class Counted extends ScheduledSequence {
    private static long looks;

    Counted(int i, Priority priority, int flow) {
      super("r" + i, new int[] {1, 2, 3}, 500, priority, "flow" + flow, 1_000_000 + i);
    }

    @Override
    public Priority priority() {
      looks++;
      return super.priority();
    }

    @Override
    public long deadline() {
      looks++;
      return super.deadline();
    }

    @Override
    public long order() {
      looks++;
      return super.order();
    }
  }

  /** Nothing listens. */
  private static final class Deaf implements ScheduleListener<Counted> {
    @Override
    public void joined(Counted s, int row) {}

    @Override
    public void moved(Counted s, int from, int to) {}

    @Override
    public void left(Counted s, int lastRow) {}

    @Override
    public void admitted(Counted s) {}

    @Override
    public void regrown(Counted s) {}

    @Override
    public void released(Counted s) {}

    @Override
    public void preempted(Counted s) {}

    @Override
    public void expired(Counted s) {}
  }

  /** A scheduler whose four rows decode, with more requests waiting. */
  private static Scheduler<Counted> loaded(int waiting) {
    KvBlocks blocks = new KvBlocks(new KvLayout(1, 1, 32, 512), 40, BlockMemory.NONE);
    Scheduler<Counted> scheduler =
        new Scheduler<>(blocks, new SchedulerOptions(2000, 4, 8, ""), new Deaf());
    for (int i = 0; i < 4 + waiting; i++) {
      scheduler.submit(new Counted(i, Priority.NORMAL, i % 16));
      if (i < 4) {
        decide(scheduler);
      }
    }
    while (scheduler.rowCount() < 4) {
      decide(scheduler);
    }
    return scheduler;
  }

  private static void decide(Scheduler<Counted> scheduler) {
    Decision<Counted> decision = scheduler.next(0);
    int rows = scheduler.rowCount();
    scheduler.launched(decision);
    for (int i = 0; i < rows; i++) {
      Counted row = scheduler.row(i);
      while (row.inFlight() > 0) {
        scheduler.read(row, 7);
      }
    }
  }

  private static long looks(int waiting) {
    Scheduler<Counted> scheduler = loaded(waiting);
    Counted.looks = 0;
    for (int i = 0; i < DECISIONS; i++) {
      decide(scheduler);
    }
    return Counted.looks;
  }

  @Test
  void aDecisionLooksAtAsManyRequestsWithAThousandWaitingAsWithOne() {
    assertThat(looks(1000)).isEqualTo(looks(1));
  }

  /** Before each step one sequence ends, one is admitted in its place and one joins the queue. */
  private static long looksOfTraffic(int waiting) {
    Scheduler<Counted> scheduler = loaded(waiting);
    Counted.looks = 0;
    for (int i = 0; i < DECISIONS; i++) {
      scheduler.end(scheduler.row(i % 4));
      scheduler.submit(new Counted(10_000 + i, Priority.NORMAL, i % 16));
      while (scheduler.rowCount() < 4) {
        decide(scheduler);
      }
    }
    return Counted.looks;
  }

  /**
   * Deadlines are kept in order: one comes and one goes in a step, each by halving, and a look at
   * all that wait would be a thousand.
   */
  @Test
  void whereRequestsComeAndGoADecisionLooksAtAFewMore() {
    int halvings = 2 * 11;
    int looksAtEach = 4;
    assertThat(looksOfTraffic(1000))
        .isLessThan(looksOfTraffic(1) + 2L * halvings * looksAtEach * DECISIONS);
  }

  @Test
  void aDecodeDecisionAllocatesNothing() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    Scheduler<Counted> scheduler = loaded(100);
    // The least of some rounds: the JVM may charge work of its own to any of them.
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < DECISIONS / 5; i++) {
        decide(scheduler);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(least).isZero();
  }
}
