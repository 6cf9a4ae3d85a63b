package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.reprise.softgpu.memory.HostMemory;

/**
 * The 64 bits of an {@code mbarrier} object: expected arrivals (20 bits), arrivals still pending
 * (20 bits), bytes still to come (23 bits, signed), and the phase, which flips when nothing is
 * pending and no bytes are to come (PTX ISA, "mbarrier").
 */
final class PhaseBarrier {
  /** Most bytes that can be to come. */
  static final int MOST_BYTES = (1 << 20) - 1;

  /** Most arrivals that a barrier can expect. */
  static final int MOST = (1 << 20) - 1;

  private PhaseBarrier() {}

  static long of(int count) {
    return pack(count, count, 0, false);
  }

  private static long pack(long expected, long pending, long bytes, boolean phase) {
    return expected | pending << 20 | (bytes & 0x7f_ffff) << 40 | (phase ? Long.MIN_VALUE : 0);
  }

  static int expected(long b) {
    return (int) b & MOST;
  }

  static int pending(long b) {
    return (int) (b >>> 20) & MOST;
  }

  static boolean initialised(long b) {
    return expected(b) != 0 || pending(b) != 0;
  }

  /**
   * Bytes have come for which the barrier at a native address waits; faults are those of {@code
   * op}.
   */
  static void complete(long at, long bytes, Op op, int lane) {
    long b = HostMemory.ALL.get(JAVA_LONG_UNALIGNED, at);
    if (!initialised(b)) {
      throw new LaneFault(
          719, op.line, lane, 0, op.text + ": the barrier is not initialised when the bytes come");
    }
    HostMemory.ALL.set(JAVA_LONG_UNALIGNED, at, change(b, 0, 0, -bytes, 0));
  }

  private static long bytes(long b) {
    return b << 1 >> 41;
  }

  static boolean phase(long b) {
    return b < 0;
  }

  /**
   * The barrier after arrivals and changes of its numbers; a phase that is complete gives way to
   * the next.
   */
  static long change(long b, int arrivals, int drops, long moreBytes, int moreArrivals) {
    int expected = expected(b) - drops;
    int pending = pending(b) - arrivals + moreArrivals;
    long bytes = bytes(b) + moreBytes;
    boolean complete = pending == 0 && bytes == 0;
    return complete
        ? pack(expected, expected, 0, !phase(b))
        : pack(expected, pending, bytes, phase(b));
  }
}
