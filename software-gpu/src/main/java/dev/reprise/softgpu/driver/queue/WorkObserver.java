package dev.reprise.softgpu.driver.queue;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Sees what the work that it wraps consists of, on the thread of the queue. */
public interface WorkObserver {

  /**
   * Runs a part of the work.
   *
   * @param node number of the node in its graph, -1 for one that belongs to the node under way
   * @param before numbers of the nodes that it comes after; null where {@code node} is -1
   */
  void run(Work part, int node, @Nullable BitSet before);

  /** The work has waited for a position. */
  void waited(Marker position);
}
