package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.memory.HostMemory;

/** {@code st.bulk}: zeros from an address in shared memory of the block on (PTX ISA, "st.bulk"). */
public final class BulkFillOp extends Op {
  private static final int UNIT = 8;

  private final LaneAccess to;
  private final int size;

  /**
   * @param to of 8 bytes, generic or in shared memory
   * @param size long array with the number of bytes
   */
  public BulkFillOp(MemoryAddress to, int size) {
    this.to = new LaneAccess(to, "write");
    this.size = size;
  }

  @Override
  public void run(Warp w, int m) {
    long[] seen = new long[Warp.LANES];
    java.util.Arrays.fill(w.extra, 0);
    to.addresses(w, seen);
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      long bytes = w.l[size][lane];
      if (bytes < 0 || bytes % UNIT != 0 || bytes > w.block.sharedBytes) {
        throw new LaneFault(
            719,
            line,
            lane,
            0,
            text
                + " fills "
                + bytes
                + " bytes, which must be a multiple of "
                + UNIT
                + " within shared memory");
      }
      if (!to.inOwnBlock(w, seen[lane])) {
        throw new LaneFault(
            700,
            line,
            lane,
            0,
            String.format("illegal write at 0x%x outside shared memory (%s)", seen[lane], text));
      }
      for (long at = 0; at < bytes; at += UNIT) {
        w.extra[lane] = at;
        long place = to.resolve(w, 1 << lane, this)[lane];
        HostMemory.ALL.set(java.lang.foreign.ValueLayout.JAVA_LONG, place, 0L);
      }
      w.extra[lane] = 0;
    }
  }
}
