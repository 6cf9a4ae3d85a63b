package dev.reprise.softgpu.driver.operation;

import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.CUmemPoolProps;
import dev.reprise.softgpu.driver.memory.GraphAllocation;
import dev.reprise.softgpu.driver.memory.GraphMemory;
import dev.reprise.softgpu.driver.queue.AccessSink;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Makes the addresses of an allocation node hit memory.
 *
 * @param properties the pool properties that the node was made with ({@code CUmemPoolProps})
 * @param access the access descriptors that it was made with, an array of {@code CUmemAccessDesc}
 */
public record MemoryAllocation(
    GraphMemory memory, GraphAllocation allocation, MemorySegment properties, MemorySegment access)
    implements Operation {

  /** The allocation that a stream-ordered one becomes in a capture. */
  public static MemoryAllocation ofStream(GraphMemory memory, long bytes) {
    MemorySegment properties = CUmemPoolProps.allocate(Arena.ofAuto());
    CUmemPoolProps.allocType(properties, 1);
    CUmemLocation.type(CUmemPoolProps.location(properties), 1);
    return new MemoryAllocation(memory, memory.create(bytes), properties, MemorySegment.NULL);
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
