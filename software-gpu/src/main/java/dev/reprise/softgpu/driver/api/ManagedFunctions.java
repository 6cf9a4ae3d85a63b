package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.memory.Block;
import dev.reprise.softgpu.driver.memory.ManagedMemory;
import dev.reprise.softgpu.driver.memory.ManagedMemory.Advice;
import dev.reprise.softgpu.driver.memory.ManagedMemory.Location;
import dev.reprise.softgpu.driver.memory.MemoryKind;
import dev.reprise.softgpu.driver.operation.Fill;
import dev.reprise.softgpu.driver.operation.Place;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.memory.Allocation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Managed memory: host memory that kernels see at its own address. It never moves, so prefetching
 * only notes where to, and what is discarded is filled with ones at once.
 */
final class ManagedFunctions extends Functions {

  private static final int ATTACH_GLOBAL = 1;
  private static final int ATTACH_HOST = 2;
  private static final int ATTACH_SINGLE = 4;

  private static final int AT_DEVICE = 1;
  private static final int AT_HOST = 2;
  private static final int AT_NUMA_NODE = 3;
  private static final int AT_OWN_NUMA_NODE = 4;

  /** {@code CU_DEVICE_CPU}, for functions that know devices only. */
  private static final int CPU = -1;

  private static final int DISCARDED = 0xff;

  /** Managed memory that a call names. */
  private record Range(Allocation allocation, long address, long bytes) {}

  ManagedFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  private ManagedMemory managed() {
    return memory(context()).managed();
  }

  int cuMemAllocManaged(MemorySegment dptr, long bytes, int flags) {
    Context context = context();
    CallerMemory.required(dptr, "dptr");
    if (flags != ATTACH_GLOBAL && flags != ATTACH_HOST) {
      throw CudaFailure.invalidValue("flags " + flags + "; they are 1 (global) or 2 (host)");
    }
    guard().checkUnsafe(thread(), "cuMemAllocManaged");
    Block block = memory(context).allocateManaged(bytes, flags, context);
    CallerMemory.writeLong(dptr, "dptr", block.allocation().base());
    return SUCCESS;
  }

  int cuStreamAttachMemAsync(MemorySegment hStream, long dptr, long length, int flags) {
    Context context = context();
    Stream stream = stream(context, hStream);
    guard().checkNotCapturing(stream, "attaching managed memory");
    Block block = memory(context).findBase(dptr);
    if (block == null || block.kind() != MemoryKind.MANAGED) {
      throw CudaFailure.invalidValue("0x%x is not the start of managed memory".formatted(dptr));
    }
    if (length != 0 && length != block.allocation().size()) {
      throw CudaFailure.invalidValue(
          "%d bytes; it is 0 or all %d".formatted(length, block.allocation().size()));
    }
    boolean single = flags == ATTACH_SINGLE && stream.role() != Stream.Role.LEGACY;
    if (flags != ATTACH_GLOBAL && flags != ATTACH_HOST && !single) {
      throw CudaFailure.invalidValue("flags %d on %s".formatted(flags, stream));
    }
    // The device and the host may access it at the same time, whatever it is attached to.
    return SUCCESS;
  }

  int cuMemPrefetchAsync(long devPtr, long count, int dstDevice, MemorySegment hStream) {
    return prefetch(devPtr, count, ofDevice(dstDevice), hStream);
  }

  int cuMemPrefetchAsync_v2(
      long devPtr, long count, MemorySegment location, int flags, MemorySegment hStream) {
    if (flags != 0) {
      throw CudaFailure.invalidValue("flags " + flags + "; they must be 0");
    }
    return prefetch(devPtr, count, location(location), hStream);
  }

  private int prefetch(long devPtr, long count, Location to, MemorySegment hStream) {
    Stream stream = stream(context(), hStream);
    Range range = range(devPtr, count);
    guard().checkNotCapturing(stream, "prefetching managed memory");
    prefetch(range, to);
    return SUCCESS;
  }

  private void prefetch(Range range, Location to) {
    advise(range, old -> new Advice(old.readMostly(), old.preferred(), old.accessedBy(), to));
  }

  private void advise(Range range, UnaryOperator<Advice> change) {
    managed().advise(range.allocation(), range.address(), range.bytes(), change);
  }

  int cuMemAdvise(long devPtr, long count, int advice, int device) {
    return advise(devPtr, count, advice, ignoresLocation(advice) ? null : ofDevice(device));
  }

  int cuMemAdvise_v2(long devPtr, long count, int advice, MemorySegment location) {
    return advise(devPtr, count, advice, ignoresLocation(advice) ? null : location(location));
  }

  private static boolean ignoresLocation(int advice) {
    return advice == 1 || advice == 2 || advice == 4;
  }

  private int advise(long devPtr, long count, int advice, @Nullable Location at) {
    Range range = range(devPtr, count);
    switch (advice) {
      case 1, 2 ->
          advise(
              range,
              old -> new Advice(advice == 1, old.preferred(), old.accessedBy(), old.prefetched()));
      case 3, 4 ->
          advise(
              range, old -> new Advice(old.readMostly(), at, old.accessedBy(), old.prefetched()));
      case 5, 6 -> {
        if (at == null || (at.type() != AT_DEVICE && at.type() != AT_HOST)) {
          throw CudaFailure.invalidValue("access from location type " + at);
        }
        advise(range, old -> accessed(old, at, advice == 5));
      }
      default -> throw CudaFailure.invalidValue("there is no advice " + advice);
    }
    return SUCCESS;
  }

  private static Advice accessed(Advice old, Location by, boolean set) {
    Set<Location> accessedBy = new HashSet<>(old.accessedBy());
    if (set) {
      accessedBy.add(by);
    } else {
      accessedBy.remove(by);
    }
    return new Advice(old.readMostly(), old.preferred(), accessedBy, old.prefetched());
  }

  private Location ofDevice(int number) {
    if (number == CPU) {
      return new Location(AT_HOST, 0);
    }
    device(number);
    return new Location(AT_DEVICE, number);
  }

  private Location location(MemorySegment location) {
    int type = CUmemLocation.type(location);
    int id = CUmemLocation.id(location);
    return switch (type) {
      case AT_DEVICE -> ofDevice(id == CPU ? Integer.MIN_VALUE : id);
      case AT_HOST -> new Location(AT_HOST, 0);
      case AT_OWN_NUMA_NODE -> new Location(AT_NUMA_NODE, 0);
      case AT_NUMA_NODE -> {
        if (id != 0) {
          throw CudaFailure.invalidValue("there is no NUMA node " + id);
        }
        yield new Location(AT_NUMA_NODE, 0);
      }
      default -> throw CudaFailure.invalidValue("location type " + type);
    };
  }

  private Range range(long devPtr, long count) {
    Allocation allocation = memory(context()).space().find(devPtr);
    if (allocation == null || !managed().contains(allocation)) {
      throw CudaFailure.invalidValue("0x%x is not managed memory".formatted(devPtr));
    }
    if (count <= 0 || !allocation.contains(devPtr, count)) {
      throw CudaFailure.invalidValue(
          "%d bytes at 0x%x do not lie in %s".formatted(count, devPtr, allocation));
    }
    return new Range(allocation, devPtr, count);
  }

  int cuMemRangeGetAttribute(
      MemorySegment data, long dataSize, int attribute, long devPtr, long count) {
    context();
    Range range = range(devPtr, count);
    List<Advice> pages = managed().advice(range.allocation(), devPtr, count);
    ManagedAttributes.write(CallerMemory.required(data, "data"), dataSize, attribute, pages);
    return SUCCESS;
  }

  int cuMemRangeGetAttributes(
      MemorySegment data,
      MemorySegment dataSizes,
      MemorySegment attributes,
      long numAttributes,
      long devPtr,
      long count) {
    context();
    Range range = range(devPtr, count);
    long outs = CallerMemory.required(data, "data");
    long sizes = CallerMemory.required(dataSizes, "dataSizes");
    long ids = CallerMemory.required(attributes, "attributes");
    if (numAttributes <= 0) {
      throw CudaFailure.invalidValue(Long.toUnsignedString(numAttributes) + " attributes");
    }
    List<Advice> pages = managed().advice(range.allocation(), devPtr, count);
    for (long i = 0; i < numAttributes; i++) {
      MemorySegment out = MemorySegment.ofAddress(CallerMemory.readLong(outs + i * Long.BYTES));
      ManagedAttributes.write(
          CallerMemory.required(out, "data[%d]".formatted(i)),
          CallerMemory.readLong(sizes + i * Long.BYTES),
          CallerMemory.readInt(ids + i * Integer.BYTES),
          pages);
    }
    return SUCCESS;
  }

  int cuMemDiscardBatchAsync(
      MemorySegment dptrs, MemorySegment sizes, long count, long flags, MemorySegment hStream) {
    Stream stream = batchStream(hStream, flags);
    discard(stream, ranges(dptrs, sizes, count));
    return SUCCESS;
  }

  int cuMemPrefetchBatchAsync(
      MemorySegment dptrs,
      MemorySegment sizes,
      long count,
      MemorySegment prefetchLocs,
      MemorySegment prefetchLocIdxs,
      long numPrefetchLocs,
      long flags,
      MemorySegment hStream) {
    batchStream(hStream, flags);
    List<Range> ranges = ranges(dptrs, sizes, count);
    prefetch(ranges, targets(ranges.size(), prefetchLocs, prefetchLocIdxs, numPrefetchLocs));
    return SUCCESS;
  }

  int cuMemDiscardAndPrefetchBatchAsync(
      MemorySegment dptrs,
      MemorySegment sizes,
      long count,
      MemorySegment prefetchLocs,
      MemorySegment prefetchLocIdxs,
      long numPrefetchLocs,
      long flags,
      MemorySegment hStream) {
    Stream stream = batchStream(hStream, flags);
    List<Range> ranges = ranges(dptrs, sizes, count);
    List<Location> to = targets(ranges.size(), prefetchLocs, prefetchLocIdxs, numPrefetchLocs);
    discard(stream, ranges);
    prefetch(ranges, to);
    return SUCCESS;
  }

  private Stream batchStream(MemorySegment hStream, long flags) {
    Stream stream = stream(context(), hStream);
    if (flags != 0) {
      throw CudaFailure.invalidValue("flags 0x%x; they must be 0".formatted(flags));
    }
    if (stream.role() == Stream.Role.LEGACY) {
      throw CudaFailure.invalidValue("the legacy default stream takes no such batch");
    }
    guard().checkNotCapturing(stream, "a batch for managed memory");
    return stream;
  }

  private List<Range> ranges(MemorySegment dptrs, MemorySegment sizes, long count) {
    long starts = CallerMemory.required(dptrs, "dptrs");
    long lengths = CallerMemory.required(sizes, "sizes");
    if (count <= 0 || count > Integer.MAX_VALUE) {
      throw CudaFailure.invalidValue(Long.toUnsignedString(count) + " ranges");
    }
    List<Range> ranges = new ArrayList<>();
    for (long at = 0; at < count * Long.BYTES; at += Long.BYTES) {
      ranges.add(range(CallerMemory.readLong(starts + at), CallerMemory.readLong(lengths + at)));
    }
    return ranges;
  }

  /** Where each of so many ranges goes. */
  private List<Location> targets(
      int ranges, MemorySegment locations, MemorySegment indices, long count) {
    if (count <= 0 || count > ranges) {
      throw CudaFailure.invalidValue("%d locations for %d ranges".formatted(count, ranges));
    }
    MemorySegment all =
        CallerMemory.struct(locations, CUmemLocation.sizeof() * count, "prefetchLocs");
    long starts = CallerMemory.required(indices, "prefetchLocIdxs");
    List<Location> targets = new ArrayList<>();
    for (int k = 0; k < count; k++) {
      long start = CallerMemory.readLong(starts + (long) k * Long.BYTES);
      boolean follows = k == 0 ? start == 0 : start > targets.size() - 1 && start < ranges;
      if (!follows) {
        throw CudaFailure.invalidValue("prefetchLocIdxs[%d] is %d".formatted(k, start));
      }
      while (k > 0 && targets.size() < start) {
        targets.add(targets.getLast());
      }
      targets.add(location(CUmemLocation.asSlice(all, k)));
    }
    while (targets.size() < ranges) {
      targets.add(targets.getLast());
    }
    return targets;
  }

  private void prefetch(List<Range> ranges, List<Location> to) {
    for (int i = 0; i < ranges.size(); i++) {
      prefetch(ranges.get(i), to.get(i));
    }
  }

  private void discard(Stream stream, List<Range> ranges) {
    for (Range range : ranges) {
      Place place = Place.line(Place.Kind.DEVICE, range.address());
      stream.perform(new Fill(memory(stream.context()), place, DISCARDED, 1, range.bytes(), 1));
    }
  }
}
