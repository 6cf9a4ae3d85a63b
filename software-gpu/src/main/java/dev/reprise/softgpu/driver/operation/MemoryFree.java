package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.memory.GraphAllocation;
import dev.reprise.softgpu.driver.memory.GraphMemory;
import dev.reprise.softgpu.driver.queue.AccessSink;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.support.Result;

/** Frees memory that a graph allocated, in a node or in stream order. */
public record MemoryFree(GraphMemory memory, GraphAllocation allocation) implements Operation {

  @Override
  public NodeType type() {
    return NodeType.MEM_FREE;
  }

  @Override
  public String describe() {
    return "free of %d bytes at 0x%x".formatted(allocation.size(), allocation.base());
  }

  @Override
  public void accesses(AccessSink sink) {
    sink.free(allocation.base(), allocation.size());
  }

  @Override
  public void run() {
    if (!memory.hide(allocation)) {
      throw new ExecutionFault(
          Result.ILLEGAL_ADDRESS, describe() + ": the memory is not allocated at this point");
    }
  }

  /** The same as work that is done after a fault as well, as frees are. */
  public Work alsoAfterFault() {
    MemoryFree free = this;
    return new Work() {
      @Override
      public void run() {
        free.run();
      }

      @Override
      public void accesses(AccessSink sink) {
        free.accesses(sink);
      }

      @Override
      public boolean runsAfterFault() {
        return true;
      }

      @Override
      public String toString() {
        return free.describe();
      }
    };
  }
}
