package dev.reprise.softgpu.driver.queue;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An ordered queue of asynchronous work with a daemon thread of its own, which starts with the
 * first item and ends after {@link #close()} when the queue has run dry.
 *
 * <p>Both sides spin for a few microseconds before they park, so that handing a launch to an idle
 * queue, and waiting for a short one, costs no trip through the scheduler. Thread-safe.
 */
public final class ThreadedQueue implements WorkQueue {

  private static final long SPIN_NANOS = 20_000;
  private static final int SPINS_BETWEEN_CLOCK_READS = 32;

  private final String name;
  private final FaultScope faults;

  private final Object submitLock = new Object();
  private final Object doneLock = new Object();

  /** The last entry that the thread took; its successors wait. Only the thread moves it. */
  private Entry head = new Entry(() -> {}, List.of());

  private Entry tail = head;
  private volatile long submitted;
  private volatile long completed;
  private volatile boolean closed;
  private volatile boolean parked;

  /** The first position that a thread waits for, parked; written under {@link #doneLock}. */
  private volatile long awaited = Long.MAX_VALUE;

  private volatile @Nullable Thread thread;

  private static final class Entry {
    private @Nullable Work work;
    private List<Marker> after;
    private volatile @Nullable Entry next;

    Entry(Work work, List<Marker> after) {
      this.work = work;
      this.after = after;
    }
  }

  private record Position(ThreadedQueue queue, long sequence) implements Marker {
    @Override
    public boolean complete() {
      return queue.completed >= sequence;
    }

    @Override
    public void await() {
      queue.await(sequence);
    }
  }

  public ThreadedQueue(String name, FaultScope faults) {
    this.name = name;
    this.faults = faults;
  }

  @Override
  public Marker submit(Work work, List<Marker> after) {
    Entry entry = new Entry(work, after);
    long sequence;
    synchronized (submitLock) {
      if (closed) {
        throw new IllegalStateException(name + " is closed");
      }
      tail.next = entry;
      tail = entry;
      sequence = submitted + 1;
      submitted = sequence;
      if (thread == null) {
        start();
      }
    }
    if (parked) {
      LockSupport.unpark(thread);
    }
    return new Position(this, sequence);
  }

  @Override
  public Marker tail() {
    long sequence = submitted;
    return completed >= sequence ? Marker.PASSED : new Position(this, sequence);
  }

  @Override
  public boolean idle() {
    return completed >= submitted;
  }

  /** Takes no more work; the thread ends when it has done what is there. Idempotent. */
  @Override
  public void close() {
    synchronized (submitLock) {
      closed = true;
    }
    LockSupport.unpark(thread);
  }

  private void start() {
    Thread started = new Thread(this::runAll, name);
    started.setDaemon(true);
    thread = started;
    started.start();
  }

  private void runAll() {
    long sequence = 0;
    while (true) {
      Entry entry = take();
      if (entry == null) {
        return;
      }
      head = entry;
      run(entry);
      completed = ++sequence;
      if (sequence >= awaited) {
        synchronized (doneLock) {
          // Who waits for a later one says so again.
          awaited = Long.MAX_VALUE;
          doneLock.notifyAll();
        }
      }
    }
  }

  private void run(Entry entry) {
    for (Marker marker : entry.after) {
      marker.await();
    }
    Work work = entry.work;
    // The entry stays reachable as the head of the list; what it held must not.
    entry.work = null;
    entry.after = List.of();
    if (work == null || (faults.failed() && !work.runsAfterFault())) {
      return;
    }
    try {
      work.run();
    } catch (Throwable fault) {
      faults.fail(work, fault);
    }
  }

  private @Nullable Entry take() {
    Entry last = head;
    Entry next = last.next;
    if (next != null) {
      return next;
    }
    long deadline = System.nanoTime() + SPIN_NANOS;
    do {
      for (int i = 0; i < SPINS_BETWEEN_CLOCK_READS; i++) {
        Thread.onSpinWait();
        next = last.next;
        if (next != null) {
          return next;
        }
      }
    } while (System.nanoTime() - deadline < 0);
    parked = true;
    try {
      // The flag is up before the list is read again, and a submitter links before it reads the
      // flag: one of the two always sees the other.
      while ((next = last.next) == null) {
        if (closed) {
          return last.next;
        }
        LockSupport.park(this);
        // An interrupt would turn parking into spinning; only the queue counts here.
        boolean ignored = Thread.interrupted();
      }
      return next;
    } finally {
      parked = false;
    }
  }

  private void await(long sequence) {
    if (completed >= sequence) {
      return;
    }
    long deadline = System.nanoTime() + SPIN_NANOS;
    do {
      for (int i = 0; i < SPINS_BETWEEN_CLOCK_READS; i++) {
        Thread.onSpinWait();
        if (completed >= sequence) {
          return;
        }
      }
    } while (System.nanoTime() - deadline < 0);
    awaitParked(sequence);
  }

  private void awaitParked(long sequence) {
    boolean interrupted = false;
    synchronized (doneLock) {
      // Written before the other is read; the queue's thread does it the other way round.
      awaited = Math.min(awaited, sequence);
      while (completed < sequence) {
        try {
          doneLock.wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
        awaited = Math.min(awaited, sequence);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
