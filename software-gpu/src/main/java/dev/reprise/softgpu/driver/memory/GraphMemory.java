package dev.reprise.softgpu.driver.memory;

import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.HostMemory;
import dev.reprise.softgpu.memory.OutOfDeviceMemoryException;
import dev.reprise.softgpu.memory.PhysicalMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory that the allocation nodes of graphs allocate: CUDA Programming Guide, "Graph Memory
 * Nodes".
 *
 * <p>Each allocation has two lives. In the order of the calls it is live from a launch that
 * allocates it to the call that frees it, or the launch of a graph that does; this decides what the
 * calls answer. On the device its addresses hit memory from when the allocation node runs to when
 * the free runs; this decides what faults. Physical memory is bound to an allocation by the first
 * launch or upload, stays bound until the executable graph ends or it is trimmed, and is kept as
 * spare then.
 *
 * <p>Thread-safe.
 */
public final class GraphMemory {

  /** Up to here fresh memory is poisoned: NaN for floats, −1 for integers. */
  private static final long POISONED_BYTES = 16 << 20;

  private static final byte POISON = (byte) 0xff;
  private static final int ALIGNMENT = 256;

  private final DeviceMemory memory;
  private final AddressSpace space;
  private final TreeMap<Long, GraphAllocation> known = new TreeMap<>();
  private final Map<Long, ArrayDeque<PhysicalMemory>> spare = new HashMap<>();
  private long used;
  private long usedHigh;
  private long reserved;
  private long reservedHigh;

  GraphMemory(DeviceMemory memory) {
    this.memory = memory;
    this.space = memory.space();
  }

  /**
   * Takes addresses for an allocation node.
   *
   * @param readers the other devices that can access it
   */
  public synchronized GraphAllocation create(long bytes, Readers readers) {
    if (bytes <= 0) {
      throw CudaFailure.invalidValue("an allocation of " + Long.toUnsignedString(bytes) + " bytes");
    }
    try {
      return new GraphAllocation(space.reserve(bytes, ALIGNMENT), bytes, readers);
    } catch (OutOfDeviceMemoryException e) {
      throw new CudaFailure(Result.OUT_OF_MEMORY, String.valueOf(e.getMessage()));
    }
  }

  /** Takes note of a node that allocates it. */
  public synchronized void addNode(GraphAllocation allocation) {
    allocation.nodes++;
    known.put(allocation.base(), allocation);
  }

  /** Takes note that such a node is gone; what is live stays so until it is freed. */
  public synchronized void removeNode(GraphAllocation allocation) {
    allocation.nodes--;
    settle(allocation);
  }

  /** The allocation of a graph that starts at an address, or null. */
  public synchronized @Nullable GraphAllocation find(long address) {
    return known.get(address);
  }

  /** As {@link #find}; {@code CUDA_ERROR_INVALID_VALUE} where there is none. */
  public GraphAllocation require(long address) {
    GraphAllocation found = find(address);
    if (found == null) {
      throw CudaFailure.invalidValue(
          "0x%x is not the start of memory that a graph allocates".formatted(address));
    }
    return found;
  }

  /** True when all of these bytes are the addresses of one allocation of a graph. */
  public synchronized boolean covers(long address, long bytes) {
    Map.Entry<Long, GraphAllocation> entry = known.floorEntry(address);
    return entry != null && address - entry.getKey() <= entry.getValue().size() - bytes;
  }

  /**
   * Does what a launch of a graph with memory nodes needs, and enqueues it.
   *
   * @param allocates what the graph allocates
   * @param frees what it frees, allocated by itself or before
   * @param autoFree whether what an earlier launch left allocated is freed, rather than a reason to
   *     answer {@code CUDA_ERROR_INVALID_VALUE}
   * @param owner whose memory it becomes
   * @param launch enqueues the launch
   * @return the end of the launch
   */
  public synchronized Marker launch(
      Collection<GraphAllocation> allocates,
      Collection<GraphAllocation> frees,
      boolean autoFree,
      Object owner,
      Launch launch) {
    List<GraphAllocation> left = new ArrayList<>();
    List<Marker> after = new ArrayList<>();
    for (GraphAllocation allocation : allocates) {
      if (allocation.live) {
        left.add(allocation);
      }
      after.add(allocation.launched);
    }
    if (!left.isEmpty() && !autoFree) {
      throw CudaFailure.invalidValue(
          left.getFirst() + " of an earlier launch of the graph has not been freed");
    }
    for (GraphAllocation allocation : frees) {
      if (!allocation.live && !allocates.contains(allocation)) {
        throw CudaFailure.invalidValue(
            "the graph frees " + allocation + ", which is not allocated");
      }
    }
    allocates.forEach(this::bind);
    Marker end = launch.submit(left, after);
    for (GraphAllocation allocation : allocates) {
      allocation.live = true;
      allocation.owner = owner;
      allocation.launched = end;
    }
    for (GraphAllocation allocation : frees) {
      allocation.live = false;
      allocation.freed = end;
    }
    return end;
  }

  /** How a launch is enqueued. */
  @FunctionalInterface
  public interface Launch {
    /**
     * Enqueues it.
     *
     * @param left what it has to free first
     * @param after what must have passed before it starts
     */
    Marker submit(List<GraphAllocation> left, List<Marker> after);
  }

  /** Makes sure that an allocation has physical memory; {@code CUDA_ERROR_OUT_OF_MEMORY}. */
  public synchronized void bind(GraphAllocation allocation) {
    if (allocation.physical == null) {
      allocation.physical = physical(allocation.size());
      used += allocation.size();
      usedHigh = Math.max(usedHigh, used);
    }
  }

  private PhysicalMemory physical(long bytes) {
    ArrayDeque<PhysicalMemory> fitting = spare.get(bytes);
    if (fitting != null && !fitting.isEmpty()) {
      return fitting.remove();
    }
    PhysicalMemory made;
    try {
      made = space.create(bytes, "graph memory");
    } catch (OutOfDeviceMemoryException e) {
      releaseSpare();
      try {
        made = space.create(bytes, "graph memory");
      } catch (OutOfDeviceMemoryException again) {
        throw new CudaFailure(Result.OUT_OF_MEMORY, String.valueOf(again.getMessage()));
      }
    }
    reserved += bytes;
    reservedHigh = Math.max(reservedHigh, reserved);
    return made;
  }

  /** Takes note of an executable graph that allocates it. */
  public synchronized void addExec(GraphAllocation allocation) {
    allocation.execs++;
  }

  /** Takes note that such an executable graph is gone, with all its launches. */
  public synchronized void removeExec(GraphAllocation allocation) {
    allocation.execs--;
    settle(allocation);
  }

  /**
   * Frees in stream order; {@code CUDA_ERROR_INVALID_VALUE} when it is not allocated.
   *
   * @param submit enqueues {@link #hide}
   */
  public synchronized void free(GraphAllocation allocation, Supplier<Marker> submit) {
    checkLive(allocation);
    allocation.freed = submit.get();
    allocation.live = false;
  }

  /** Frees at once what no work uses any more. */
  public synchronized void free(GraphAllocation allocation) {
    checkLive(allocation);
    allocation.live = false;
    hide(allocation);
    settle(allocation);
  }

  /** {@code CUDA_ERROR_INVALID_VALUE} when it is not allocated, as far as calls say. */
  public synchronized void checkLive(GraphAllocation allocation) {
    if (!allocation.live) {
      throw CudaFailure.invalidValue(allocation + " is not allocated");
    }
  }

  /**
   * Has the addresses hit memory of undefined contents: the allocation node runs.
   *
   * @return false when they do already, because an earlier free has not run
   */
  public synchronized boolean show(GraphAllocation allocation) {
    PhysicalMemory physical = allocation.physical;
    if (allocation.visible != null || physical == null) {
      return false;
    }
    HostMemory.ALL.asSlice(physical.host(), Math.min(physical.size(), POISONED_BYTES)).fill(POISON);
    Allocation shown = space.map(allocation.base(), allocation.size(), physical, "graph memory");
    allocation.visible = shown;
    memory.adopt(shown, MemoryKind.GRAPH, allocation.readers());
    return true;
  }

  /**
   * Has the addresses hit nothing: the free runs.
   *
   * @return false when they do already, because the allocation has not run
   */
  public synchronized boolean hide(GraphAllocation allocation) {
    Allocation shown = allocation.visible;
    if (shown == null) {
      return false;
    }
    allocation.visible = null;
    memory.disown(shown);
    settle(allocation);
    return true;
  }

  /** Lets go of what nothing needs any more. */
  private void settle(GraphAllocation allocation) {
    if (allocation.live || allocation.execs > 0) {
      return;
    }
    if (allocation.visible != null && !allocation.inFlight()) {
      // Its free was skipped by a fault of the context.
      memory.disown(allocation.visible);
      allocation.visible = null;
    }
    if (allocation.visible != null) {
      return;
    }
    PhysicalMemory physical = allocation.physical;
    if (physical != null) {
      allocation.physical = null;
      used -= allocation.size();
      spare.computeIfAbsent(physical.size(), size -> new ArrayDeque<>()).add(physical);
    }
    if (allocation.nodes == 0) {
      known.remove(allocation.base());
    }
  }

  /** Frees what the work of an owner has allocated; none of it is in flight. */
  synchronized void freeAll(Object owner) {
    for (GraphAllocation allocation : List.copyOf(known.values())) {
      if (owner.equals(allocation.owner)) {
        allocation.live = false;
        allocation.owner = null;
        hide(allocation);
        settle(allocation);
      }
    }
  }

  /** Gives the device what no live allocation and no launch in flight uses. */
  public synchronized void trim() {
    for (GraphAllocation allocation : List.copyOf(known.values())) {
      settle(allocation);
      PhysicalMemory physical = allocation.physical;
      if (physical != null
          && !allocation.live
          && !allocation.inFlight()
          && allocation.visible == null) {
        allocation.physical = null;
        used -= allocation.size();
        release(physical);
      }
    }
    releaseSpare();
  }

  private void releaseSpare() {
    spare.values().forEach(blocks -> blocks.forEach(this::release));
    spare.clear();
  }

  private void release(PhysicalMemory physical) {
    reserved -= physical.size();
    space.release(physical);
  }

  /** Bytes that executable graphs and live allocations have. */
  public synchronized long used() {
    return used;
  }

  /** The most of {@link #used} since the last reset. */
  public synchronized long usedHigh() {
    return usedHigh;
  }

  /** Bytes that are taken from the device: {@link #used} and spare. */
  public synchronized long reserved() {
    return reserved;
  }

  /** The most of {@link #reserved} since the last reset. */
  public synchronized long reservedHigh() {
    return reservedHigh;
  }

  /** Makes the high-water mark of {@link #used} what is used now. */
  public synchronized void resetUsedHigh() {
    usedHigh = used;
  }

  /** Makes the high-water mark of {@link #reserved} what is reserved now. */
  public synchronized void resetReservedHigh() {
    reservedHigh = reserved;
  }
}
