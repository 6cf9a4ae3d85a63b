package dev.reprise.softgpu.driver.memory;

import dev.reprise.softgpu.memory.Allocation;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What programs advise about pages of managed memory. The memory is the host's and the device's at
 * once, so that nothing moves; the advice is kept for those who ask. Thread-safe.
 */
public final class ManagedMemory {

  private static final int PAGE = 4096;

  /**
   * A place where pages can be.
   *
   * @param type a value of {@code CUmemLocationType}
   * @param id of the device or NUMA node; 0 where the type has none
   */
  public record Location(int type, int id) {}

  /**
   * What is advised about one page.
   *
   * @param accessedBy where it will be accessed from
   * @param prefetched where it was asked to be last
   */
  public record Advice(
      boolean readMostly,
      @Nullable Location preferred,
      Set<Location> accessedBy,
      @Nullable Location prefetched) {

    static final Advice NONE = new Advice(false, null, Set.of(), null);

    public Advice {
      accessedBy = Set.copyOf(accessedBy);
    }
  }

  private final Map<Allocation, Advice[]> pages = new ConcurrentHashMap<>();

  ManagedMemory() {}

  void add(Allocation allocation) {
    Advice[] all = new Advice[Math.toIntExact((allocation.size() + PAGE - 1) / PAGE)];
    Arrays.fill(all, Advice.NONE);
    pages.put(allocation, all);
  }

  void remove(Allocation allocation) {
    pages.remove(allocation);
  }

  /** True for managed memory. */
  public boolean contains(Allocation allocation) {
    return pages.containsKey(allocation);
  }

  /** Changes the advice about all pages that a range touches. */
  public void advise(
      Allocation allocation, long address, long bytes, UnaryOperator<Advice> change) {
    Advice[] all = pages.get(allocation);
    if (all != null) {
      synchronized (all) {
        for (int page = page(allocation, address);
            page <= last(allocation, address, bytes);
            page++) {
          all[page] = change.apply(all[page]);
        }
      }
    }
  }

  /** The advice about each page that a range touches. */
  public List<Advice> advice(Allocation allocation, long address, long bytes) {
    Advice[] all = pages.get(allocation);
    if (all == null) {
      return List.of();
    }
    synchronized (all) {
      return List.of(
          Arrays.copyOfRange(all, page(allocation, address), last(allocation, address, bytes) + 1));
    }
  }

  private static int page(Allocation allocation, long address) {
    return (int) ((address - allocation.base()) / PAGE);
  }

  private static int last(Allocation allocation, long address, long bytes) {
    return page(allocation, address + bytes - 1);
  }
}
