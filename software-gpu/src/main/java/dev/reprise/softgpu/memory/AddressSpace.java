package dev.reprise.softgpu.memory;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Device memory of one device. Addresses are made up: they start at 2^48, outside what a process
 * can map, are never used twice, and an unmapped gap of at least 64 KiB and half the allocation
 * follows each allocation, so that an overflow or a freed pointer hits nothing. Host memory mapped
 * for kernels keeps its own address.
 *
 * <p>Thread-safe. {@link #find} takes no lock.
 */
public final class AddressSpace implements AutoCloseable {
  /** First made-up address. */
  public static final long FIRST_ADDRESS = 1L << 48;

  /**
   * End of the made-up addresses; what follows, up to 2^49, is left to windows of other state
   * spaces.
   */
  public static final long END_ADDRESS = (1L << 49) - (1L << 41);

  private static final long MIN_GAP = 64 << 10;
  private static final long MAX_GAP = 1L << 30;
  private static final long MIN_ALIGNMENT = 256;
  private static final long SHARE_ALIGNMENT = 1L << 30;

  /** Is told which addresses hit memory. Called with the lock of the address space. */
  public interface Listener {
    /** Addresses hit memory from now on. */
    void allocated(Allocation allocation);

    /** They hit nothing from now on. */
    void freed(Allocation allocation);
  }

  private static final Listener NOBODY =
      new Listener() {
        @Override
        public void allocated(Allocation allocation) {}

        @Override
        public void freed(Allocation allocation) {}
      };

  private record Table(long[] bases, Allocation[] allocations) {}

  private final long capacityBytes;
  private volatile Table table = new Table(new long[0], new Allocation[0]);
  private final long end;
  private long next;
  private Listener listener = NOBODY;
  private long usedBytes;
  private long limitBytes;
  private final OpenAccesses accesses;

  /** What lies beside it; null for a device that is alone. */
  private volatile @Nullable Neighbours neighbours;

  public AddressSpace(long capacityBytes) {
    this(capacityBytes, 0, 1, new OpenAccesses());
  }

  /**
   * The memory of one of several devices, whose addresses differ from those of the others.
   *
   * @param index which one, from 0
   * @param devices how many there are
   * @param accesses those of all of them
   */
  public AddressSpace(long capacityBytes, int index, int devices, OpenAccesses accesses) {
    if (capacityBytes <= 0) {
      throw new IllegalArgumentException("capacity must be positive: " + capacityBytes);
    }
    long share = (END_ADDRESS - FIRST_ADDRESS) / devices & -SHARE_ALIGNMENT;
    this.next = FIRST_ADDRESS + index * share;
    this.end = next + share;
    this.accesses = accesses;
    this.capacityBytes = capacityBytes;
    this.limitBytes = capacityBytes;
  }

  /** Has a listener told of what is allocated and freed from now on. */
  public synchronized void listen(Listener told) {
    listener = told;
  }

  /** Lets no more than this be in use, and never more than the capacity. */
  public synchronized void limit(long bytes) {
    limitBytes = Math.min(bytes, capacityBytes);
  }

  /** Bytes that can still be allocated. */
  public synchronized long freeBytes() {
    return Math.max(0, limitBytes - usedBytes);
  }

  /**
   * Allocates zeroed memory.
   *
   * @param alignment power of two; raised to 256, as CUDA does
   * @param what shown in fault reports
   * @throws OutOfDeviceMemoryException when the capacity is exceeded or the host has no memory left
   */
  public synchronized Allocation allocate(long bytes, long alignment, String what) {
    if (bytes <= 0 || alignment <= 0 || Long.bitCount(alignment) != 1) {
      throw new IllegalArgumentException(
          "cannot allocate " + bytes + " bytes aligned to " + alignment);
    }
    long align = Math.max(alignment, MIN_ALIGNMENT);
    checkAddresses(bytes, align);
    long block = back(bytes, align, what);
    long base = takeAddresses(bytes, align);
    Allocation allocation = new Allocation(base, bytes, alignUp(block, align), block, what);
    insert(allocation);
    return allocation;
  }

  /**
   * Takes addresses for mappings to come. They hit nothing until {@link #map}.
   *
   * @param alignment power of two; raised to 256
   * @return the first address
   */
  public synchronized long reserve(long bytes, long alignment) {
    long align = Math.max(alignment, MIN_ALIGNMENT);
    checkAddresses(bytes, align);
    return takeAddresses(bytes, align);
  }

  /**
   * Makes zeroed memory that has no address yet.
   *
   * @throws OutOfDeviceMemoryException when the capacity is exceeded or the host has no memory left
   */
  public synchronized PhysicalMemory create(long bytes, String what) {
    long block = back(bytes, MIN_ALIGNMENT, what);
    return new PhysicalMemory(block, alignUp(block, MIN_ALIGNMENT), bytes);
  }

  /** Makes memory visible from {@code base} on; the addresses must be reserved and unmapped. */
  public synchronized Allocation map(long base, long bytes, PhysicalMemory memory, String what) {
    if (bytes <= 0 || bytes > memory.size()) {
      throw new IllegalArgumentException("cannot map " + bytes + " of " + memory.size() + " bytes");
    }
    Allocation allocation = new Allocation(base, bytes, memory.host(), 0, what);
    insert(allocation);
    return allocation;
  }

  /**
   * Ends memory of {@link #create} that is mapped nowhere, once accesses in progress have ended.
   */
  public synchronized void release(PhysicalMemory memory) {
    usedBytes -= memory.size();
    accesses.retire(memory.block());
  }

  private void checkAddresses(long bytes, long alignment) {
    if (bytes > end - gap(bytes) - alignUp(next, alignment)) {
      throw new OutOfDeviceMemoryException("all made-up device addresses have been used");
    }
  }

  private long takeAddresses(long bytes, long alignment) {
    long base = alignUp(next, alignment);
    next = base + bytes + gap(bytes);
    return base;
  }

  private static long gap(long bytes) {
    return Math.clamp(bytes / 2, MIN_GAP, MAX_GAP);
  }

  /** A native block with room for aligning it, counted as used. */
  private long back(long bytes, long alignment, String what) {
    if (bytes > limitBytes - usedBytes) {
      throw new OutOfDeviceMemoryException(
          String.format(
              "%d bytes for %s do not fit: %d of %d bytes are in use",
              bytes, what, usedBytes, limitBytes));
    }
    long block = NativeHeap.allocateZeroed(bytes + alignment);
    if (block == 0) {
      throw new OutOfDeviceMemoryException("the host cannot back " + bytes + " bytes for " + what);
    }
    usedBytes += bytes;
    return block;
  }

  /**
   * Makes native memory visible to kernels at its own address. The caller keeps the memory alive
   * until {@link #free}.
   *
   * @throws IllegalArgumentException when it overlaps a range that is already mapped
   */
  public synchronized Allocation mapHost(long hostAddress, long bytes, String what) {
    if (bytes <= 0 || hostAddress <= 0 || hostAddress > FIRST_ADDRESS - bytes) {
      throw new IllegalArgumentException(
          String.format("cannot map %d bytes at 0x%x", bytes, hostAddress));
    }
    Neighbours others = neighbours;
    if (others != null
        && (others.any(hostAddress) != null || others.any(hostAddress + bytes - 1) != null)) {
      throw new IllegalArgumentException(
          String.format(
              "[0x%x, 0x%x) overlaps memory that is mapped through another device",
              hostAddress, hostAddress + bytes));
    }
    for (Allocation a : table.allocations) {
      if (a.base() < hostAddress + bytes && hostAddress < a.base() + a.size()) {
        throw new IllegalArgumentException(
            String.format("[0x%x, 0x%x) overlaps %s", hostAddress, hostAddress + bytes, a));
      }
    }
    Allocation allocation = new Allocation(hostAddress, bytes, hostAddress, 0, what);
    insert(allocation);
    return allocation;
  }

  /**
   * Ends an allocation. Its addresses hit nothing from now on. The native memory goes when the
   * accesses that have begun so far have ended.
   *
   * @throws IllegalArgumentException when it is not a live allocation of this space
   */
  public synchronized void free(Allocation allocation) {
    Table old = table;
    int at = Arrays.binarySearch(old.bases, allocation.base());
    if (at < 0 || old.allocations[at] != allocation) {
      throw new IllegalArgumentException("not a live allocation of this device: " + allocation);
    }
    long[] bases = new long[old.bases.length - 1];
    Allocation[] allocations = new Allocation[bases.length];
    System.arraycopy(old.bases, 0, bases, 0, at);
    System.arraycopy(old.bases, at + 1, bases, at, bases.length - at);
    System.arraycopy(old.allocations, 0, allocations, 0, at);
    System.arraycopy(old.allocations, at + 1, allocations, at, bases.length - at);
    table = new Table(bases, allocations);
    allocation.retire();
    listener.freed(allocation);
    if (!allocation.mapped()) {
      if (allocation.discount()) {
        usedBytes -= allocation.size();
      }
      accesses.retire(allocation.block());
    }
  }

  /**
   * Counts an allocation as freed from now on, because what frees it comes before all that will use
   * its room. Until then the host backs both. One that was freed or discounted before stays so.
   */
  public synchronized void discount(Allocation allocation) {
    if (allocation.live() && !allocation.mapped() && allocation.discount()) {
      usedBytes -= allocation.size();
    }
  }

  /** Has memory beside this one found, too. */
  public void beside(Neighbours others) {
    neighbours = others;
  }

  /**
   * The live allocation that contains the address and that kernels of the device can access, or
   * null.
   */
  public @Nullable Allocation find(long address) {
    Allocation own = own(address);
    if (own != null) {
      return own.open() ? own : null;
    }
    Neighbours others = neighbours;
    return others == null ? null : others.reachable(address);
  }

  /** The live allocation that contains the address, wherever it is, or null. */
  public @Nullable Allocation locate(long address) {
    Allocation own = own(address);
    Neighbours others = neighbours;
    return own != null || others == null ? own : others.any(address);
  }

  /** The live allocation of this space that contains the address, or null. */
  public @Nullable Allocation own(long address) {
    Table t = table;
    int at = Arrays.binarySearch(t.bases, address);
    if (at < 0) {
      at = -at - 2;
    }
    if (at < 0) {
      return null;
    }
    Allocation a = t.allocations[at];
    return a.contains(address, 1) ? a : null;
  }

  /**
   * The live allocation whose range is closest to the address, or null when there is none: for
   * fault reports.
   */
  public @Nullable Allocation nearest(long address) {
    Allocation best = null;
    long bestDistance = Long.MAX_VALUE;
    for (Allocation a : table.allocations) {
      long distance =
          address < a.base()
              ? a.base() - address
              : Math.max(0, address - (a.base() + a.size() - 1));
      if (distance >= 0 && distance < bestDistance) {
        best = a;
        bestDistance = distance;
      }
    }
    return best;
  }

  /**
   * Starts an access during which native memory of freed allocations stays in place. Pass the
   * ticket to {@link #endAccess}.
   */
  public long beginAccess() {
    return accesses.begin();
  }

  public void endAccess(long ticket) {
    accesses.end(ticket);
  }

  public long capacityBytes() {
    return capacityBytes;
  }

  /** Bytes allocated and neither freed nor discounted; mapped host memory does not count. */
  public synchronized long usedBytes() {
    return usedBytes;
  }

  /** Frees everything. No access may be open. */
  @Override
  public synchronized void close() {
    int open = accesses.count();
    if (open != 0) {
      throw new IllegalStateException(open + " accesses to device memory are still open");
    }
    for (Allocation a : table.allocations) {
      free(a);
    }
  }

  private void insert(Allocation allocation) {
    Table old = table;
    int at = -Arrays.binarySearch(old.bases, allocation.base()) - 1;
    int n = old.bases.length;
    long[] bases = Arrays.copyOf(old.bases, n + 1);
    Allocation[] allocations = Arrays.copyOf(old.allocations, n + 1);
    System.arraycopy(old.bases, at, bases, at + 1, n - at);
    System.arraycopy(old.allocations, at, allocations, at + 1, n - at);
    bases[at] = allocation.base();
    allocations[at] = allocation;
    table = new Table(bases, allocations);
    listener.allocated(allocation);
  }

  private static long alignUp(long value, long alignment) {
    return (value + alignment - 1) & -alignment;
  }
}
