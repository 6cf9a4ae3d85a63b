package dev.reprise.softgpu.memory;

import java.lang.foreign.MemorySegment;

/**
 * Raw access to native memory by address: one constant segment over all memory, so that the JIT
 * sees no bounds to load. Range and liveness checks are the caller's; a wrong address ends the
 * process.
 */
public final class HostMemory {
  public static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private HostMemory() {}
}
