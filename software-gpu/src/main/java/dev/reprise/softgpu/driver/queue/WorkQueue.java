package dev.reprise.softgpu.driver.queue;

import java.util.List;

/** An ordered queue of asynchronous work. Thread-safe. */
public interface WorkQueue {

  /**
   * Adds work behind all that was submitted before.
   *
   * @param after positions of other queues that must have passed before it starts
   * @return the position behind this item
   * @throws IllegalStateException if the queue is closed
   */
  Marker submit(Work work, List<Marker> after);

  /** The position behind all that was submitted so far. */
  Marker tail();

  /** True when everything submitted so far is done. */
  boolean idle();

  /** Takes no more work; what is there is still done. Idempotent. */
  void close();
}
