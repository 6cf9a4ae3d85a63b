package dev.reprise.softgpu.engine.exec;

import java.util.Arrays;

/** One of the 16 barriers of a block, in its current phase. */
final class Barrier {
  /** Lanes that have arrived, per warp. */
  final int[] arrived;

  /** Number of lanes that have arrived. */
  int lanes;

  /** Threads that complete the barrier, 0 for all of the block. */
  int threads;

  /** Lanes that arrived with a true predicate. */
  int votes;

  Barrier(int warps) {
    arrived = new int[warps];
  }

  void reset() {
    Arrays.fill(arrived, 0);
    lanes = 0;
    threads = 0;
    votes = 0;
  }
}
