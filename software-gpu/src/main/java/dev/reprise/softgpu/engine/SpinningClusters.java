package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.exec.Cluster;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Clusters of a launch that only jump back, until another block does what they wait for. All
 * threads that work on the launch share them, so that those that one thread holds are not far
 * behind those of another; they go on in the order of the grid, since most that wait do so for one
 * that comes before them.
 */
final class SpinningClusters {
  /** Those that have not gone on in this round. */
  private final PriorityQueue<Cluster> round =
      new PriorityQueue<>(Comparator.comparingLong(c -> c.blocks()[0].number()));

  private final ArrayDeque<Cluster> done = new ArrayDeque<>();

  synchronized void add(Cluster c) {
    done.add(c);
  }

  /** The next one to go on, no longer held here, or null if there is none. */
  synchronized @Nullable Cluster poll() {
    if (round.isEmpty()) {
      round.addAll(done);
      done.clear();
    }
    return round.poll();
  }
}
