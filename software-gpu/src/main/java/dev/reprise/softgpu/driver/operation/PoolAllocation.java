package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.memory.Block;
import dev.reprise.softgpu.driver.queue.Work;

/**
 * The place of a stream-ordered allocation in its stream: the memory is there when the call
 * returns, but only what comes after this place may use it.
 */
public record PoolAllocation(Block block) implements Work {

  @Override
  public void run() {}

  @Override
  public String toString() {
    return "allocation of %d bytes at 0x%x"
        .formatted(block.allocation().size(), block.allocation().base());
  }
}
