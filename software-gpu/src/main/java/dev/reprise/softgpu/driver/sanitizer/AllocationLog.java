package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.sanitizer.CallStack;
import dev.reprise.softgpu.sanitizer.Report.AllocationPlace;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What was allocated at which address, and freed. Addresses of device memory are not used again, so
 * that a freed one still says what it was. Thread-safe.
 */
final class AllocationLog implements AddressSpace.Listener {

  private static final int MOST_FREED = 20_000;

  /** One allocation. */
  static final class Entry {
    private final long base;
    private final long size;
    private final String what;
    private final @Nullable CallStack allocated;
    private volatile @Nullable CallStack freed;
    private volatile boolean live = true;

    private Entry(Allocation allocation, @Nullable CallStack allocated) {
      this.base = allocation.base();
      this.size = allocation.size();
      this.what = allocation.what();
      this.allocated = allocated;
    }

    long base() {
      return base;
    }

    boolean live() {
      return live;
    }

    boolean contains(long address) {
      return address - base >= 0 && address - base < size;
    }

    @Nullable CallStack allocated() {
      return allocated;
    }

    @Nullable CallStack freed() {
      return freed;
    }

    AllocationPlace place(long address) {
      return new AllocationPlace(base, size, what, live, address - base);
    }
  }

  private final TreeMap<Long, Entry> entries = new TreeMap<>();
  private final ArrayDeque<Entry> freedOnes = new ArrayDeque<>();
  private final Supplier<@Nullable CallStack> stacks;
  private final AddressSpace.Listener next;

  /**
   * An empty log.
   *
   * @param stacks the stack of the call that allocates or frees just now; null where none is kept
   * @param next is told as well
   */
  AllocationLog(Supplier<@Nullable CallStack> stacks, AddressSpace.Listener next) {
    this.stacks = stacks;
    this.next = next;
  }

  @Override
  public void allocated(Allocation allocation) {
    Entry entry = new Entry(allocation, stacks.get());
    synchronized (this) {
      entries.put(allocation.base(), entry);
    }
    next.allocated(allocation);
  }

  @Override
  public void freed(Allocation allocation) {
    CallStack stack = stacks.get();
    synchronized (this) {
      Entry entry = entries.get(allocation.base());
      if (entry != null) {
        entry.freed = stack;
        entry.live = false;
        freedOnes.add(entry);
        if (freedOnes.size() > MOST_FREED) {
          Entry oldest = freedOnes.remove();
          entries.remove(oldest.base, oldest);
        }
      }
    }
    next.freed(allocation);
  }

  /** The allocation that an address belongs to or belonged to, else the nearest one, else null. */
  synchronized @Nullable Entry find(long address) {
    Map.Entry<Long, Entry> below = entries.floorEntry(address);
    Map.Entry<Long, Entry> above = entries.ceilingEntry(address);
    if (below == null) {
      return above == null ? null : above.getValue();
    }
    Entry entry = below.getValue();
    if (above == null || entry.contains(address)) {
      return entry;
    }
    long behind = address - (entry.base + entry.size);
    return behind <= above.getKey() - address ? entry : above.getValue();
  }
}
