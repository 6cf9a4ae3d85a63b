package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.HostMemory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Copies from pinned memory that the program does not know to be done. Until it does it must leave
 * the memory alone; its stores are not seen, so the contents are compared with those at the time of
 * the call: when the copy runs, and before the program learns that it has. Whatever the device or a
 * host function may have written is not compared. Thread-safe.
 */
final class PinnedSources {

  private static final long MOST_BYTES = 16 << 20;

  /**
   * One such copy.
   *
   * @param task the piece of work that it is part of
   * @param work the copy
   */
  record Source(
      TracedWork task, Work work, long address, long bytes, long sum, long excuses, long writes) {}

  private final LongFunction<@Nullable Allocation> memory;
  private final Consumer<Source> changed;
  private final List<Source> pending = new ArrayList<>();
  private final Map<Long, Long> deviceWrites = new HashMap<>();
  private long excuses;

  /**
   * None yet.
   *
   * @param memory the allocation at an address
   * @param changed is told of each whose contents changed too early
   */
  PinnedSources(LongFunction<@Nullable Allocation> memory, Consumer<Source> changed) {
    this.memory = memory;
    this.changed = changed;
  }

  /** A copy is enqueued. */
  synchronized void enqueued(TracedWork task, Work work, long address, long bytes) {
    Allocation allocation = pinned(address);
    if (allocation != null && allocation.contains(address, bytes) && bytes <= MOST_BYTES) {
      long writes = deviceWrites.getOrDefault(allocation.base(), 0L);
      pending.add(new Source(task, work, address, bytes, sum(address, bytes), excuses, writes));
    }
  }

  /** Memory is freed. */
  synchronized void forget(long base) {
    pending.removeIf(source -> {
      Allocation allocation = pinned(source.address);
      return allocation == null || allocation.base() == base;
    });
    deviceWrites.remove(base);
  }

  private @Nullable Allocation pinned(long address) {
    if (address <= 0 || address >= AddressSpace.FIRST_ADDRESS) {
      return null;
    }
    return memory.apply(address);
  }

  private static long sum(long address, long bytes) {
    CRC32C sum = new CRC32C();
    sum.update(HostMemory.ALL.asSlice(address, bytes).asByteBuffer());
    return sum.getValue();
  }

  /** The device writes. */
  synchronized void written(long address) {
    Allocation allocation = pinned(address);
    if (allocation != null) {
      deviceWrites.merge(allocation.base(), 1L, Long::sum);
    }
  }

  /** The program runs, or may have been told something, in the order of a stream. */
  synchronized void excuse() {
    excuses++;
  }

  /** Compares what is pending, and forgets what the program knows to be done. */
  synchronized void compare(Timeline timeline) {
    for (Iterator<Source> all = pending.iterator(); all.hasNext(); ) {
      Source source = all.next();
      Allocation allocation = pinned(source.address);
      boolean excused =
          allocation == null
              || source.excuses != excuses
              || deviceWrites.getOrDefault(allocation.base(), 0L) != source.writes;
      if (excused || timeline.seenByHost(source.task.lane().index(), source.task.number())) {
        all.remove();
      } else if (sum(source.address, source.bytes) != source.sum) {
        all.remove();
        changed.accept(source);
      }
    }
  }
}
