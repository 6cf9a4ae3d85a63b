package dev.reprise.softgpu.engine.exec;

import java.util.Arrays;

/** {@code cp.async}: starts a copy from global to shared memory in each lane. */
public final class AsyncCopyOp extends Op {
  private final LaneAccess to;
  private final LaneAccess from;
  private final LaneAccess firstByte;
  private final int bytes;
  private final int sourceBytes;

  /**
   * @param to of {@code bytes} bytes
   * @param firstByte the address of {@code from}, of one byte
   * @param sourceBytes int array with the bytes to read, -1 for all of them
   */
  public AsyncCopyOp(
      MemoryAddress to, MemoryAddress from, MemoryAddress firstByte, int bytes, int sourceBytes) {
    this.to = new LaneAccess(to, "asynchronous write");
    this.from = new LaneAccess(from, "asynchronous read");
    this.firstByte = new LaneAccess(firstByte, "asynchronous read");
    this.bytes = bytes;
    this.sourceBytes = sourceBytes;
  }

  @Override
  public void run(Warp w, int m) {
    long[] destination = to.resolvePlain(w, m, this).clone();
    int whole = 0;
    int part = 0;
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int n = size(w, lane);
      if (n < 0 || n > bytes) {
        throw new LaneFault(
            719, line, lane, 0, text + " reads " + n + " bytes of a copy of " + bytes);
      }
      whole |= n == bytes ? 1 << lane : 0;
      part |= n > 0 && n < bytes ? 1 << lane : 0;
    }
    long[] source = new long[Warp.LANES];
    if (whole != 0) {
      put(source, from.resolvePlain(w, whole, this), whole);
    }
    if (part != 0) {
      // The last byte must be there, then the first.
      for (int k = 0; k < Warp.LANES; k++) {
        w.extra[k] = Math.max(0, size(w, k) - 1);
      }
      firstByte.resolve(w, part, this);
      put(source, firstByte.resolvePlain(w, part, this), part);
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      w.copies.start(
          lane, new AsyncCopies.Copy(destination[lane], bytes, source[lane], size(w, lane)));
    }
    Arrays.fill(w.extra, 0);
  }

  private int size(Warp w, int lane) {
    return sourceBytes < 0 ? bytes : w.i[sourceBytes][lane];
  }

  private static void put(long[] to, long[] from, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      to[lane] = from[lane];
    }
  }
}
