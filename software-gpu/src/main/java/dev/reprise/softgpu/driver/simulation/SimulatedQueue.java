package dev.reprise.softgpu.driver.simulation;

import dev.reprise.softgpu.driver.queue.FaultScope;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.queue.Steps;
import dev.reprise.softgpu.driver.queue.WholeWork;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.queue.WorkQueue;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A queue without a thread: the {@link Simulator} decides when its next item goes. */
final class SimulatedQueue implements WorkQueue {

  private static final Work NOTHING = () -> {};

  private record Entry(Work work, List<Marker> after) {}

  private final Simulator simulator;
  private final long number;
  private final String name;
  private final FaultScope faults;

  // All guarded by the simulator but for the number of those that are done.
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private @Nullable Steps steps;
  private @Nullable Work current;
  private long submitted;
  private volatile long completed;
  private boolean closed;

  /** True while a piece is under way. */
  private boolean away;

  SimulatedQueue(Simulator simulator, long number, String name, FaultScope faults) {
    this.simulator = simulator;
    this.number = number;
    this.name = name;
    this.faults = faults;
  }

  /** A position in it. */
  record Position(SimulatedQueue queue, long sequence) implements Marker {
    @Override
    public boolean complete() {
      return queue.completed >= sequence;
    }

    @Override
    public void await() {
      queue.simulator.await(this);
    }

    @Override
    public void awaitIdly() {
      queue.simulator.awaitIdly(this);
    }
  }

  /** By the order in which they were made. */
  long number() {
    return number;
  }

  /** The number of the item that goes next or is under way, from 1. */
  long item() {
    return completed + 1;
  }

  @Override
  public Marker submit(Work work, List<Marker> after) {
    return simulator.submit(this, work, after);
  }

  /** Adds an item. */
  Position add(Work work, List<Marker> after) {
    if (closed) {
      throw new IllegalStateException(name + " is closed");
    }
    entries.add(new Entry(work, after));
    return new Position(this, ++submitted);
  }

  @Override
  public Marker tail() {
    synchronized (simulator) {
      return completed >= submitted ? Marker.PASSED : new Position(this, submitted);
    }
  }

  @Override
  public boolean idle() {
    synchronized (simulator) {
      return completed >= submitted;
    }
  }

  @Override
  public void close() {
    synchronized (simulator) {
      closed = true;
    }
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** The pieces of the first item if some of them could go now, else null. */
  @Nullable Steps ready() {
    Entry first = entries.peek();
    if (first == null || away || !first.after.stream().allMatch(Marker::complete)) {
      return null;
    }
    Steps begun = steps;
    if (faults.failed() && !first.work.runsAfterFault()) {
      begun = new WholeWork(NOTHING);
    } else if (begun == null) {
      begun = first.work.asSteps();
    }
    steps = begun;
    current = first.work;
    return begun.done() || begun.ready() > 0 ? begun : null;
  }

  boolean isAway() {
    return away;
  }

  /** A piece leaves for a thread. */
  void leave() {
    away = true;
  }

  /**
   * The piece that left has run. Called on its thread, without the lock of the simulator.
   *
   * @return true if the item is done with it
   */
  boolean finished(@Nullable Throwable fault) {
    Steps run = steps;
    Work work = current;
    if (run == null || work == null) {
      throw new IllegalStateException("nothing of " + name + " is under way");
    }
    if (fault == null && !run.done()) {
      return false;
    }
    try {
      run.end();
    } catch (RuntimeException | Error second) {
      faults.fail(work, second);
    }
    if (fault != null) {
      faults.fail(work, fault);
    }
    return true;
  }

  /** It is back. */
  void back(boolean ended) {
    away = false;
    if (ended) {
      steps = null;
      current = null;
      entries.remove();
      completed = item();
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
