package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.exec.Block;
import dev.reprise.softgpu.engine.exec.Program;
import dev.reprise.softgpu.memory.AddressSpace;
import java.util.ArrayList;
import java.util.List;

/**
 * Block objects of a kernel between launches: a decode loop launches the same kernel in the same
 * shape again and again. A thread gets those back that it has used, whose registers are likely to
 * be in its processor's cache and not in another's.
 */
final class BlockPool {
  private static final int MOST = 64;

  /** With so many others, a thread that has none takes one of them rather than make one. */
  private static final int MANY = 16;

  private record Free(Block block, Thread user) {}

  /** The last is the one that was used last. */
  private final List<Free> free = new ArrayList<>();

  Block take(Program program, Block.Shape shape, AddressSpace memory) {
    Thread user = Thread.currentThread();
    synchronized (free) {
      for (int k = free.size() - 1; k >= 0; k--) {
        Free f = free.get(k);
        // Blocks of another shape are of no use to whoever launches now; they are dropped.
        if (!f.block.shape().equals(shape)) {
          free.remove(k);
        } else if (f.user == user) {
          free.remove(k);
          return f.block;
        }
      }
      if (free.size() > MANY) {
        return free.removeFirst().block;
      }
    }
    return new Block(program, shape, memory);
  }

  void give(Block b) {
    synchronized (free) {
      if (free.size() < MOST) {
        free.add(new Free(b, Thread.currentThread()));
      }
    }
  }
}
