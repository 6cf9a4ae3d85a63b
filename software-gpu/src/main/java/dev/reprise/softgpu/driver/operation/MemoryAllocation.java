package dev.reprise.softgpu.driver.operation;

import dev.reprise.bindings.cuda.CUmemAccessDesc;
import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.CUmemPoolProps;
import dev.reprise.softgpu.driver.memory.GraphAllocation;
import dev.reprise.softgpu.driver.memory.GraphMemory;
import dev.reprise.softgpu.driver.memory.MemoryPool;
import dev.reprise.softgpu.driver.memory.Readers;
import dev.reprise.softgpu.driver.queue.AccessSink;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Makes the addresses of an allocation node hit memory.
 *
 * @param properties the pool properties that the node was made with ({@code CUmemPoolProps})
 * @param access the access descriptors that it was made with, an array of {@code CUmemAccessDesc}
 */
public record MemoryAllocation(
    GraphMemory memory, GraphAllocation allocation, MemorySegment properties, MemorySegment access)
    implements Operation {

  private static final int READ_WRITE = 3;

  /**
   * The allocation that a stream-ordered one becomes in a capture. It has the properties of the
   * pool, those at the time of the capture.
   *
   * @param devices how many devices there are
   */
  public static MemoryAllocation ofStream(
      GraphMemory memory, long bytes, MemoryPool pool, int devices) {
    MemorySegment properties = CUmemPoolProps.allocate(Arena.ofAuto());
    CUmemPoolProps.allocType(properties, 1);
    CUmemLocation.type(CUmemPoolProps.location(properties), 1);
    CUmemLocation.id(CUmemPoolProps.location(properties), pool.ordinal());
    List<Integer> others =
        IntStream.range(0, devices)
            .filter(device -> device != pool.ordinal() && pool.accessibleFrom(device))
            .boxed()
            .toList();
    Readers readers = new Readers();
    MemorySegment access =
        others.isEmpty()
            ? MemorySegment.NULL
            : CUmemAccessDesc.allocateArray(others.size(), Arena.ofAuto());
    for (int i = 0; i < others.size(); i++) {
      MemorySegment one = CUmemAccessDesc.asSlice(access, i);
      CUmemLocation.type(CUmemAccessDesc.location(one), 1);
      CUmemLocation.id(CUmemAccessDesc.location(one), others.get(i));
      CUmemAccessDesc.flags(one, READ_WRITE);
      readers.set(others.get(i), true);
    }
    return new MemoryAllocation(memory, memory.create(bytes, readers), properties, access);
  }

  /** The device address, the same in each launch. */
  public long address() {
    return allocation.base();
  }

  @Override
  public NodeType type() {
    return NodeType.MEM_ALLOC;
  }

  @Override
  public String describe() {
    return "allocation of %d bytes at 0x%x".formatted(allocation.size(), allocation.base());
  }

  @Override
  public void accesses(AccessSink sink) {
    sink.allocate(allocation.base(), allocation.size());
  }

  @Override
  public void run() {
    if (!memory.show(allocation)) {
      throw new ExecutionFault(
          Result.ILLEGAL_ADDRESS,
          describe() + ": the memory of an earlier launch has not been freed yet");
    }
  }
}
