package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.queue.AccessSink;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.memory.Allocation;

/** The place of an allocation in its stream, behind which the memory may be used. */
record StreamAllocation(Allocation allocation) implements Work {

  @Override
  public void run() {
    // The memory was there when the call returned; only its place in the order counts.
  }

  @Override
  public void accesses(AccessSink sink) {
    sink.allocate(allocation.base(), allocation.size());
  }

  @Override
  public String toString() {
    return "allocation of %d bytes in stream order".formatted(allocation.size());
  }
}
