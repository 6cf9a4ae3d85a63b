package dev.reprise.softgpu.driver.memory;

import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.PhysicalMemory;
import org.jspecify.annotations.Nullable;

/**
 * What one allocation node of a graph allocates: addresses that are fixed when the node is made,
 * and hit nothing but between the allocation and the free. All but the addresses is guarded by
 * {@link GraphMemory}.
 */
public final class GraphAllocation {

  private final long base;
  private final long size;

  /** Nodes of graphs and of executable graphs that allocate it. */
  int nodes;

  private final Readers readers;

  /**
   * Executable graphs that allocate it, for which physical memory is kept: one, and any that were
   * destroyed while a launch is in flight.
   */
  int execs;

  /** Allocated and not freed, as far as the calls that were made so far say. */
  boolean live;

  /** Whose work allocated it last; null before. */
  @Nullable Object owner;

  /** What is behind the addresses, or will be at the next launch. */
  @Nullable PhysicalMemory physical;

  /** The addresses while they hit something. */
  @Nullable Allocation visible;

  /** The end of the latest launch that allocates it. */
  Marker launched = Marker.PASSED;

  /** The end of the latest work that frees it. */
  Marker freed = Marker.PASSED;

  GraphAllocation(long base, long size, Readers readers) {
    this.base = base;
    this.size = size;
    this.readers = readers;
  }

  /** The other devices that can access it. */
  public Readers readers() {
    return readers;
  }

  /** Device address of byte 0, the same in each launch. */
  public long base() {
    return base;
  }

  /** Size in bytes. */
  public long size() {
    return size;
  }

  /** True while enqueued work may still allocate, use or free it. */
  boolean inFlight() {
    return !launched.complete() || !freed.complete();
  }

  @Override
  public String toString() {
    return "graph memory [0x%x, 0x%x), %d bytes".formatted(base, base + size, size);
  }
}
