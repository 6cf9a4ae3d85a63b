package dev.reprise.softgpu.driver.simulation;

import dev.reprise.softgpu.driver.queue.Choices;
import dev.reprise.softgpu.driver.queue.CurrentChoices;
import dev.reprise.softgpu.driver.queue.FaultScope;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.queue.Steps;
import dev.reprise.softgpu.driver.queue.ThreadedQueue;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.queue.WorkQueue;
import dev.reprise.softgpu.simulation.Simulation;
import dev.reprise.softgpu.simulation.SimulationSession;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the work of all queues that are made while it is on, one piece at a time, in an order that a
 * seed decides. To be repeatable it never depends on how fast threads are: work goes on only
 *
 * <ul>
 *   <li>while a call of the program waits for some of it, as far as needed for that;
 *   <li>before a call returns that submitted some, as far as the seed lets the device run ahead;
 *   <li>before a call returns that found some of it not done, by one piece;
 *   <li>when the program has made no call for a while, as it may be waiting by other means.
 * </ul>
 *
 * Thread-safe; its lock is its monitor.
 */
public final class Simulator implements Simulation {

  private static final Logger LOG = LoggerFactory.getLogger(Simulator.class);

  /** {@code CUDA_ERROR_NOT_READY}. */
  private static final int NOT_READY = 600;

  /** How long pieces that may wait for the program are waited for before others go on. */
  private static final long PATIENCE_NANOS = 1_000_000_000;

  /** How long a call that does not wait for work is held up by work that goes before it returns. */
  private static final long HOLD_NANOS = 30_000_000_000L;

  private static final long IDLE_MILLIS = 2_000;
  private static final long POLL_NANOS = 1_000_000;
  private static final int ORDER_LIMIT = 100_000;

  /** Where no seed decides. */
  private static final Choices PLAIN =
      new Choices() {
        @Override
        public int oneOf(int count) {
          return 0;
        }

        @Override
        public long launchSeed() {
          return 0;
        }
      };

  private final long stallNanos;
  private final NavigableMap<Long, SimulatedQueue> busy = new TreeMap<>();
  private final List<Marker> wanted = new ArrayList<>();
  private final List<String> order = new ArrayList<>();
  private volatile @Nullable SeededChoices choices;
  private volatile boolean on;
  private long queues;

  /** Made first under the present seed, which knows queues by their distance to it. */
  private long firstQueue;

  private long lastCall = System.nanoTime();

  /** When a piece began or ended the last time. */
  private long lastTurn = System.nanoTime();

  private @Nullable Thread thread;

  /** How many pieces are to go before the call under way returns. */
  private volatile int owed;

  /** Off at first. */
  public Simulator() {
    this(250);
  }

  /**
   * @param stallMillis after how long without a call work goes on by itself
   */
  public Simulator(int stallMillis) {
    this.stallNanos = TimeUnit.MILLISECONDS.toNanos(stallMillis);
  }

  @Override
  public synchronized SimulationSession begin(long seed) {
    SeededChoices before = choices;
    if (before != null) {
      throw new IllegalStateException(
          "a simulation with seed %d is under way".formatted(before.seed()));
    }
    choices = new SeededChoices(seed);
    order.clear();
    firstQueue = queues;
    on = true;
    LOG.debug("Simulating with seed {}.", seed);
    return new Session(seed);
  }

  @Override
  public OptionalLong seed() {
    SeededChoices present = choices;
    return present == null ? OptionalLong.empty() : OptionalLong.of(present.seed());
  }

  private final class Session implements SimulationSession {
    private final long seed;
    private boolean closed;
    private List<String> ended = List.of();

    Session(long seed) {
      this.seed = seed;
    }

    @Override
    public long seed() {
      return seed;
    }

    @Override
    public List<String> order() {
      synchronized (Simulator.this) {
        return closed ? ended : List.copyOf(order);
      }
    }

    @Override
    public void close() {
      synchronized (Simulator.this) {
        if (!closed) {
          closed = true;
          ended = List.copyOf(order);
          choices = null;
          on = false;
          Simulator.this.notifyAll();
        }
      }
    }
  }

  /** A queue, which takes part if a simulation is under way. */
  public WorkQueue queue(String name, FaultScope faults) {
    if (!on) {
      return new ThreadedQueue(name, faults);
    }
    synchronized (this) {
      return new SimulatedQueue(this, queues++, name, faults);
    }
  }

  synchronized Marker submit(SimulatedQueue queue, Work work, List<Marker> after) {
    SimulatedQueue.Position position = queue.add(work, after);
    busy.put(queue.number(), queue);
    called();
    SeededChoices present = choices;
    if (present != null) {
      owe(present.ahead(queue.number() - firstQueue, position.sequence()));
    }
    if (thread == null) {
      thread = new Thread(this::runAll, "softgpu-simulation");
      thread.setDaemon(true);
      thread.start();
    }
    notifyAll();
    return position;
  }

  private void owe(int pieces) {
    owed = (int) Math.min(Integer.MAX_VALUE, (long) owed + pieces);
  }

  private void called() {
    lastCall = System.nanoTime();
  }

  /** Called when a call of the driver returns, without any lock of the driver. Gives the code. */
  public int returning(int code) {
    if (on && (owed > 0 || code == NOT_READY) && Choices.current() == null) {
      pay(code);
    }
    return code;
  }

  private synchronized void pay(int code) {
    called();
    if (code == NOT_READY) {
      owe(1);
    }
    notifyAll();
    long deadline = System.nanoTime() + HOLD_NANOS;
    waitUntil(
        () -> owed == 0 || busy.isEmpty() || !on || System.nanoTime() - deadline > 0, HOLD_NANOS);
    owed = 0;
  }

  synchronized void await(Marker position) {
    if (position.complete()) {
      return;
    }
    if (Choices.current() != null) {
      throw new IllegalStateException("work of a simulation waits for other work that has not run");
    }
    called();
    wanted.add(position);
    notifyAll();
    waitUntil(position::complete, Long.MAX_VALUE);
    wanted.remove(position);
    called();
  }

  synchronized void awaitIdly(Marker position) {
    waitUntil(position::complete, Long.MAX_VALUE);
  }

  /** Waits whatever interrupts come, and keeps those. */
  private void waitUntil(BooleanSupplier met, long nanos) {
    boolean interrupted = false;
    while (!met.getAsBoolean()) {
      try {
        if (nanos == Long.MAX_VALUE) {
          wait();
        } else {
          TimeUnit.NANOSECONDS.timedWait(this, nanos);
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * What goes next.
   *
   * @param which of the pieces that could go; -1 to end an item that has none
   */
  private record Turn(SimulatedQueue queue, Steps steps, int which, Choices choices) {

    boolean mayWait() {
      return which >= 0 && steps.piece(which).mayWait();
    }
  }

  private void runAll() {
    for (Turn turn = take(); turn != null; turn = take()) {
      if (turn.mayWait()) {
        runElsewhere(turn);
      } else {
        run(turn);
      }
    }
  }

  private void run(Turn turn) {
    Throwable thrown = null;
    CurrentChoices.set(turn.choices());
    try {
      if (turn.which() >= 0) {
        turn.steps().run(turn.which());
      }
    } catch (Throwable fault) {
      thrown = fault;
    } finally {
      CurrentChoices.set(null);
    }
    boolean ended = turn.queue().finished(thrown);
    synchronized (this) {
      lastTurn = System.nanoTime();
      turn.queue().back(ended);
      if (turn.queue().isEmpty()) {
        busy.remove(turn.queue().number());
      }
      notifyAll();
    }
  }

  /** Runs a piece that may wait for the program; if it does, others go on after a while. */
  private void runElsewhere(Turn turn) {
    Thread runner = new Thread(() -> run(turn), "softgpu-host-function");
    runner.setDaemon(true);
    runner.start();
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    synchronized (this) {
      waitUntil(() -> !turn.queue().isAway() || System.nanoTime() - deadline > 0, PATIENCE_NANOS);
    }
  }

  /** Waits for what goes next; null when the thread has had nothing to do for long. */
  private synchronized @Nullable Turn take() {
    while (true) {
      if (busy.isEmpty()) {
        waitFor(TimeUnit.MILLISECONDS.toNanos(IDLE_MILLIS));
        if (busy.isEmpty()) {
          thread = null;
          return null;
        }
      }
      boolean asked = !on || !wanted.stream().allMatch(Marker::complete);
      boolean hurried = !asked && owed > 0;
      long untilStall = lastCall + stallNanos - System.nanoTime();
      if (!asked && !hurried && untilStall > 0) {
        waitFor(untilStall);
        continue;
      }
      Turn turn = choose(hurried);
      if (turn != null) {
        turn.queue().leave();
        lastTurn = System.nanoTime();
        if (hurried && owed != Integer.MAX_VALUE) {
          owed--;
        }
        return turn;
      }
      // A call is not held up by what only the program can let go, which may be what makes the
      // call.
      if (hurried || owed > 0 && System.nanoTime() - lastTurn > PATIENCE_NANOS) {
        owed = 0;
        notifyAll();
      }
      if (!hurried) {
        // What is left waits for memory that the program changes, or for a queue with a thread.
        waitFor(POLL_NANOS);
      }
    }
  }

  private void waitFor(long nanos) {
    try {
      TimeUnit.NANOSECONDS.timedWait(this, nanos);
    } catch (InterruptedException e) {
      // Nobody ends this thread by an interrupt.
      LOG.debug("The thread of the simulation was interrupted.", e);
    }
  }

  /**
   * Chooses between all pieces that could go now.
   *
   * @param hurried whether those are left out that may wait for the program
   */
  private @Nullable Turn choose(boolean hurried) {
    List<SimulatedQueue> queues = new ArrayList<>();
    List<Turn> turns = new ArrayList<>();
    SeededChoices present = choices;
    Choices deciding = present == null ? PLAIN : present;
    for (SimulatedQueue queue : busy.values()) {
      Steps steps = queue.ready();
      if (steps == null) {
        continue;
      }
      int[] open = open(steps, hurried);
      if (open.length > 0) {
        queues.add(queue);
        turns.add(new Turn(queue, steps, open[deciding.oneOf(open.length)], deciding));
      }
    }
    if (queues.isEmpty()) {
      return null;
    }
    Turn chosen = turns.get(present == null ? 0 : present.queue(queues, firstQueue));
    if (present != null && order.size() < ORDER_LIMIT) {
      order.add(
          "queue %d, item %d, piece %d of those ready"
              .formatted(
                  chosen.queue().number() - firstQueue, chosen.queue().item(), chosen.which()));
    }
    return chosen;
  }

  private static int[] open(Steps steps, boolean hurried) {
    if (steps.done()) {
      return new int[] {-1};
    }
    IntStream all = IntStream.range(0, steps.ready());
    return (hurried ? all.filter(i -> !steps.piece(i).mayWait()) : all).toArray();
  }
}
