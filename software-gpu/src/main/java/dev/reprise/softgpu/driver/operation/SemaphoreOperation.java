package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.queue.AccessSink;
import dev.reprise.softgpu.driver.queue.FaultScope;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Signals of external semaphores, or waits for them one after the other, as one entry of a stream
 * or one node. A wait lasts until the semaphore is signalled, or until the context is lost or goes
 * away.
 *
 * @param type {@link NodeType#EXT_SEMAS_SIGNAL} or {@link NodeType#EXT_SEMAS_WAIT}
 * @param faults of the context that it was made in
 */
public record SemaphoreOperation(NodeType type, FaultScope faults, List<Use> uses)
    implements Operation {

  private static final long PAUSE_NANOS = 20_000;

  /**
   * One of the semaphores.
   *
   * @param handle by which the caller named it
   * @param semaphore what it is
   * @param value the number of a timeline
   */
  public record Use(long handle, Semaphore semaphore, long value) {

    @Override
    public String toString() {
      return "0x%x".formatted(handle) + (semaphore.timeline() ? " at " + value : "");
    }
  }

  private boolean signals() {
    return type == NodeType.EXT_SEMAS_SIGNAL;
  }

  @Override
  public String describe() {
    return (signals() ? "signal of external semaphore " : "wait for external semaphore ")
        + uses.stream().map(Use::toString).collect(Collectors.joining(", "));
  }

  /**
   * The place of a semaphore in the order that the sanitizer sees, of no bytes: no address is like
   * this.
   */
  private static long place(Use use) {
    return -use.semaphore().id();
  }

  @Override
  public void accesses(AccessSink sink) {
    for (Use use : uses) {
      if (signals()) {
        sink.release(place(use), 0);
      } else {
        sink.acquire(place(use), 0);
      }
    }
  }

  @Override
  public boolean ready() {
    return signals()
        || faults.ending()
        || uses.stream().allMatch(use -> use.semaphore().reached(use.value()));
  }

  @Override
  public boolean mayWait() {
    return !signals() && uses.size() > 1;
  }

  @Override
  public void run() {
    for (Use use : uses) {
      if (signals()) {
        use.semaphore().signal(use.value());
      } else {
        while (!use.semaphore().tryWait(use.value()) && !faults.ending()) {
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    }
  }
}
