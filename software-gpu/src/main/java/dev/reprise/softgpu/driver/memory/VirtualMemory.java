package dev.reprise.softgpu.driver.memory;

import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.OutOfDeviceMemoryException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reserved address ranges and what is mapped into them, by the rules of CUDA Driver API, "Virtual
 * Memory Management". Addresses hit nothing until memory is mapped to them and made accessible.
 * Belongs to the device and outlives contexts. Thread-safe.
 */
public final class VirtualMemory {

  /** What sizes and addresses are multiples of, as on NVIDIA devices. */
  public static final long GRANULARITY = 2L << 20;

  private static final class Mapping {
    final long base;
    final long size;
    final PhysicalBlock block;

    /** Whether kernels of its own device can access it. */
    boolean own;

    final Readers readers = new Readers();

    /** Null while no access is set. */
    @Nullable Allocation visible;

    Mapping(long base, long size, PhysicalBlock block) {
      this.base = base;
      this.size = size;
      this.block = block;
    }

    long end() {
      return base + size;
    }
  }

  private record Range(long size, TreeMap<Long, Mapping> mappings) {}

  private final DeviceMemory memory;
  private final AddressSpace space;
  private final TreeMap<Long, Range> ranges = new TreeMap<>();

  VirtualMemory(DeviceMemory memory) {
    this.memory = memory;
    this.space = memory.space();
  }

  /** Reserves addresses; an alignment of 0 means that of the granularity. */
  public synchronized long reserve(long bytes, long alignment) {
    checkSize(bytes);
    if (alignment < 0 || Long.bitCount(alignment) > 1) {
      throw CudaFailure.invalidValue("an alignment of " + alignment + "; it is a power of two");
    }
    try {
      long base = space.reserve(bytes, Math.max(alignment, GRANULARITY));
      ranges.put(base, new Range(bytes, new TreeMap<>()));
      return base;
    } catch (OutOfDeviceMemoryException e) {
      throw new CudaFailure(Result.OUT_OF_MEMORY, String.valueOf(e.getMessage()));
    }
  }

  private static void checkSize(long bytes) {
    if (bytes <= 0 || bytes % GRANULARITY != 0) {
      throw CudaFailure.invalidValue(
          "%d bytes; sizes are multiples of %d".formatted(bytes, GRANULARITY));
    }
  }

  /** Whether an address is in a reserved range. */
  public synchronized boolean reserved(long address) {
    Map.Entry<Long, Range> range = ranges.floorEntry(address);
    return range != null && address - range.getKey() < range.getValue().size;
  }

  /** Gives a whole range back, of which nothing is mapped. */
  public synchronized void free(long base, long bytes) {
    Range range = ranges.get(base);
    if (range == null || range.size != bytes) {
      throw CudaFailure.invalidValue(
          "%d bytes at 0x%x are not a range of cuMemAddressReserve".formatted(bytes, base));
    }
    if (!range.mappings.isEmpty()) {
      throw CudaFailure.invalidValue(
          "the range at 0x%x has memory mapped at 0x%x".formatted(base, range.mappings.firstKey()));
    }
    ranges.remove(base);
  }

  /** Makes memory to map. */
  public synchronized PhysicalBlock create(Handles handles, long bytes) {
    checkSize(bytes);
    try {
      return handles.publish(new PhysicalBlock(handles, this, space.create(bytes, "cuMemCreate")));
    } catch (OutOfDeviceMemoryException e) {
      throw new CudaFailure(Result.OUT_OF_MEMORY, String.valueOf(e.getMessage()));
    }
  }

  /** Gives one reference of the caller back. */
  public synchronized void release(Handles handles, PhysicalBlock block) {
    if (block.held == 0) {
      throw CudaFailure.invalidValue(block + " was released as often as it was handed out");
    }
    block.held--;
    if (block.held == 0) {
      handles.remove(block);
      releaseUnused(block);
    }
  }

  private void releaseUnused(PhysicalBlock block) {
    if (block.held == 0 && block.mappings == 0) {
      space.release(block.memory());
    }
  }

  /** Maps the first bytes of a block; no access is set yet. */
  public synchronized void map(long address, long bytes, PhysicalBlock block) {
    checkSize(bytes);
    if (bytes > block.memory().size()) {
      throw CudaFailure.invalidValue(
          "%d bytes of %s, which has %d".formatted(bytes, block, block.memory().size()));
    }
    Range range = range(address, bytes);
    Map.Entry<Long, Mapping> before = range.mappings.lowerEntry(address + bytes);
    if (before != null && before.getValue().end() > address) {
      throw CudaFailure.invalidValue("memory is mapped already at 0x%x".formatted(before.getKey()));
    }
    block.mappings++;
    range.mappings.put(address, new Mapping(address, bytes, block));
  }

  /** The range that all of these bytes lie in. */
  private Range range(long address, long bytes) {
    Map.Entry<Long, Range> entry = ranges.floorEntry(address);
    if (address % GRANULARITY != 0
        || entry == null
        || bytes > entry.getValue().size - (address - entry.getKey())) {
      throw CudaFailure.invalidValue(
          "%d bytes at 0x%x are not inside one reserved range, at a multiple of %d"
              .formatted(bytes, address, GRANULARITY));
    }
    return entry.getValue();
  }

  /** Lets the device itself access whole mappings, or no longer. */
  public synchronized void setAccess(long address, long bytes, boolean accessible) {
    for (Mapping mapping : wholeMappings(address, bytes)) {
      mapping.own = accessible;
      showOrHide(mapping);
    }
  }

  /** Lets another device access whole mappings, or no longer. */
  public synchronized void setAccess(long address, long bytes, int reader, boolean accessible) {
    for (Mapping mapping : wholeMappings(address, bytes)) {
      mapping.readers.set(reader, accessible);
      showOrHide(mapping);
    }
  }

  private void showOrHide(Mapping mapping) {
    if (!mapping.own && mapping.readers.isEmpty()) {
      hide(mapping);
      return;
    }
    Allocation shown = mapping.visible;
    if (shown == null) {
      shown = space.map(mapping.base, mapping.size, mapping.block.memory(), "cuMemMap");
      mapping.visible = shown;
      memory.adopt(shown, MemoryKind.VIRTUAL, mapping.readers);
    }
    shown.open(mapping.own);
  }

  private void hide(Mapping mapping) {
    Allocation shown = mapping.visible;
    if (shown != null) {
      mapping.visible = null;
      memory.disown(shown);
    }
  }

  /** Ends whole mappings. Work that still uses them faults. */
  public synchronized void unmap(long address, long bytes) {
    Range range = range(address, bytes);
    for (Mapping mapping : wholeMappings(address, bytes)) {
      hide(mapping);
      range.mappings.remove(mapping.base);
      mapping.block.mappings--;
      releaseUnused(mapping.block);
    }
  }

  /** The mappings that fill these bytes without a gap, none of them cut. */
  private List<Mapping> wholeMappings(long address, long bytes) {
    checkSize(bytes);
    Range range = range(address, bytes);
    List<Mapping> found = new ArrayList<>();
    long at = address;
    while (at < address + bytes) {
      Mapping mapping = range.mappings.get(at);
      if (mapping == null || mapping.end() > address + bytes) {
        throw CudaFailure.invalidValue(
            "%d bytes at 0x%x are not whole mappings without a gap: see 0x%x"
                .formatted(bytes, address, at));
      }
      found.add(mapping);
      at = mapping.end();
    }
    return found;
  }

  /** Whether the device itself may access the memory mapped at an address. */
  public synchronized boolean accessible(long address) {
    return mappingAt(address).own;
  }

  /** Whether another device may access the memory mapped at an address. */
  public synchronized boolean accessible(long address, int reader) {
    return mappingAt(address).readers.has(reader);
  }

  /** The memory mapped at an address, with one more reference for the caller. */
  public synchronized PhysicalBlock retain(Handles handles, long address) {
    PhysicalBlock block = mappingAt(address).block;
    if (block.held++ == 0) {
      handles.publish(block);
    }
    return block;
  }

  private Mapping mappingAt(long address) {
    Map.Entry<Long, Range> range = ranges.floorEntry(address);
    Map.Entry<Long, Mapping> mapping =
        range == null ? null : range.getValue().mappings.floorEntry(address);
    if (mapping == null || address >= mapping.getValue().end()) {
      throw CudaFailure.invalidValue("nothing is mapped at 0x%x".formatted(address));
    }
    return mapping.getValue();
  }
}
