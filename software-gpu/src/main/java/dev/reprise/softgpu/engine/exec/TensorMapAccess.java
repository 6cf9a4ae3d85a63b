package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The 128 bytes of a tensor map that a lane names, checked half by half. */
final class TensorMapAccess {
  private static final int HALF = TensorMap.BYTES / 2;

  private final LaneAccess access;

  /**
   * @param address of 64 bytes
   */
  TensorMapAccess(MemoryAddress address, String verb) {
    access = new LaneAccess(address, verb);
  }

  /** The addresses of all lanes. */
  long[] addresses(Warp w) {
    long[] all = new long[Warp.LANES];
    Arrays.fill(w.extra, 0);
    access.addresses(w, all);
    return all;
  }

  /** The bytes that a lane names; faults are those of {@code op}. */
  MemorySegment at(Warp w, int lane, Op op) {
    Arrays.fill(w.extra, 0);
    long at = access.resolve(w, 1 << lane, op)[lane];
    w.extra[lane] = HALF;
    access.resolve(w, 1 << lane, op);
    w.extra[lane] = 0;
    return HostMemory.ALL.asSlice(at, TensorMap.BYTES);
  }
}
