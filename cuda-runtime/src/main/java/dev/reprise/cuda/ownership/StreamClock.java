package dev.reprise.cuda.ownership;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The order of the operations of one stream: each gets a ticket, and events ("fences") tell which
 * tickets are done.
 *
 * <p>Issuing an operation takes {@link #lock()}, so that a fence recorded under the lock covers
 * every ticket given out before it. Fences belong to the retirement queue and are guarded by its
 * lock, which is always taken before this one.
 */
public final class StreamClock {

  /** A recorded event and the newest ticket that it covers. */
  static final class Fence {
    final MemorySegment event;
    final long ticket;
    final StreamClock clock;

    /** Threads that wait for it; the last of them gives the event back. */
    int waiters;

    Fence(MemorySegment event, long ticket, StreamClock clock) {
      this.event = event;
      this.ticket = ticket;
      this.clock = clock;
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final MemorySegment stream;
  private final FenceDriver driver;
  private final ArrayDeque<Fence> fences = new ArrayDeque<>();

  private long issued;
  private volatile long completed;

  /** A clock at rest, for a stream that has no work yet. */
  public StreamClock(MemorySegment stream, FenceDriver driver) {
    this.stream = stream;
    this.driver = driver;
  }

  /** Begins an operation; nothing else is issued to the stream until {@link #unlock()}. */
  public void lock() {
    CallbackThread.refuse("An operation on a stream");
    lock.lock();
  }

  /** Ends an operation. */
  public void unlock() {
    lock.unlock();
  }

  /** The ticket of the operation that the holder of the lock is about to issue. */
  public long issue() {
    return ++issued;
  }

  /** The newest ticket whose driver call has been made; waits for a call in progress. */
  public long issued() {
    CallbackThread.refuse("Waiting for a stream");
    lock.lock();
    try {
      return issued;
    } finally {
      lock.unlock();
    }
  }

  /** Notes that everything up to a ticket is known to be done. */
  public synchronized void completedTo(long ticket) {
    if (ticket > completed) {
      completed = ticket;
    }
  }

  /** Notes that the stream is destroyed, which happens after all its work is done. */
  public void destroyed() {
    completedTo(Long.MAX_VALUE);
  }

  /** Whether {@link #destroyed} was called. */
  public boolean isDestroyed() {
    return completed == Long.MAX_VALUE;
  }

  boolean isDone(long ticket) {
    return completed >= ticket;
  }

  /** Takes note of fences that have passed and gives their events back. */
  void poll() {
    for (Fence fence = fences.peek();
        fence != null && driver.passed(fence.event);
        fence = fences.peek()) {
      fences.remove();
      completedTo(fence.ticket);
      if (fence.waiters == 0) {
        driver.recycle(fence.event);
      }
    }
  }

  /** Makes sure that a fence covers the ticket, unless an operation is being issued just now. */
  void fence(long ticket, boolean mayBlock) {
    Fence newest = fences.peekLast();
    if (isDone(ticket) || (newest != null && newest.ticket >= ticket)) {
      return;
    }
    if (mayBlock) {
      lock.lock();
    } else if (!lock.tryLock()) {
      return;
    }
    try {
      fences.add(new Fence(driver.record(stream), issued, this));
    } finally {
      lock.unlock();
    }
  }

  @Nullable Fence oldestFence() {
    return fences.peek();
  }

  /** Waits for a fence that the caller has registered with; the retirement lock is not held. */
  void await(Fence fence) {
    driver.await(fence.event);
  }

  /** Ends a wait. */
  void awaited(Fence fence) {
    // First take it off the queue, while it still counts as awaited, so that one of us recycles it.
    try {
      poll();
    } finally {
      fence.waiters--;
      if (fence.waiters == 0 && !fences.contains(fence)) {
        driver.recycle(fence.event);
      }
    }
  }
}
