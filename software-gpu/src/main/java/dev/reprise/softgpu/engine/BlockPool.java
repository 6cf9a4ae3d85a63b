package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.exec.Block;
import dev.reprise.softgpu.engine.exec.Program;
import dev.reprise.softgpu.memory.AddressSpace;
import java.util.ArrayDeque;

/**
 * Block objects of a kernel between launches: a decode loop launches the same kernel in the same
 * shape again and again.
 */
final class BlockPool {
  private static final int MOST = 64;

  private final ArrayDeque<Block> free = new ArrayDeque<>();

  Block take(Program program, Block.Shape shape, AddressSpace memory) {
    synchronized (free) {
      while (!free.isEmpty()) {
        Block b = free.pop();
        // Blocks of another shape are of no use to whoever launches now; they are dropped.
        if (b.shape().equals(shape)) {
          return b;
        }
      }
    }
    return new Block(program, shape, memory);
  }

  void give(Block b) {
    synchronized (free) {
      if (free.size() < MOST) {
        free.push(b);
      }
    }
  }
}
