package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.memory.HostMemory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies that the lanes of a warp have started and that have not arrived. They arrive when their
 * lane waits for them, not before, so that a program that forgets to wait sees old data.
 */
final class AsyncCopies {
  /** Wants to know when a copy arrives. */
  interface Arrival {
    void arrived(boolean awaited);
  }

  /** A copy between native addresses; what {@code from} lacks is filled with zeros. */
  static final class Copy {
    private final long to;
    private final int bytes;
    private final long from;
    private final int fromBytes;
    private final @Nullable Arrival arrival;
    private boolean done;

    /**
     * @param arrival told when it has arrived; null for nobody
     */
    Copy(long to, int bytes, long from, int fromBytes, @Nullable Arrival arrival) {
      this.to = to;
      this.bytes = bytes;
      this.from = from;
      this.fromBytes = fromBytes;
      this.arrival = arrival;
    }

    /**
     * Writes the bytes.
     *
     * @param awaited whether the lane that started it waits for it
     */
    void arrive(boolean awaited) {
      if (!done) {
        done = true;
        if (arrival != null) {
          arrival.arrived(awaited);
        }
        HostMemory.ALL.asSlice(to, fromBytes).copyFrom(HostMemory.ALL.asSlice(from, fromBytes));
        HostMemory.ALL.asSlice(to + fromBytes, bytes - fromBytes).fill((byte) 0);
      }
    }
  }

  private final CopyGroups<Copy> groups = new CopyGroups<>();

  void start(int k, Copy copy) {
    groups.start(k, copy);
  }

  void commit(int k) {
    groups.commit(k);
  }

  /** Lets all groups but the {@code latest} most recent ones arrive. */
  void await(int k, int latest) {
    groups.take(k, latest).forEach(copy -> copy.arrive(true));
  }

  /** All copies of a lane, those of no group included. */
  List<Copy> pending(int k) {
    return groups.all(k);
  }

  void awaitAll(int k) {
    commit(k);
    await(k, 0);
  }

  void clear() {
    groups.clear();
  }
}
