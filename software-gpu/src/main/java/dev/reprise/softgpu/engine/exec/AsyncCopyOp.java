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
    BlockWatch watch = w.block.watch;
    long[] seen = new long[Warp.LANES];
    if (watch != null) {
      to.addresses(w, seen);
    }
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
      // The last byte must be there, then those before it where somebody looks, then the first.
      for (int back = 0; back < (watch == null ? 1 : bytes - 1); back++) {
        int reach = 0;
        for (int rest = part; rest != 0; rest &= rest - 1) {
          int lane = Integer.numberOfTrailingZeros(rest);
          w.extra[lane] = size(w, lane) - 1L - back;
          reach |= w.extra[lane] >= 0 ? 1 << lane : 0;
        }
        if (reach != 0) {
          firstByte.resolve(w, reach, this);
        }
      }
      put(source, firstByte.resolvePlain(w, part, this), part);
    }
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      AsyncCopies.Arrival arrival =
          watch == null
              ? null
              : awaited -> watch.arrived(w.index, lane, to, seen[lane], bytes, awaited);
      w.copies.start(
          lane,
          new AsyncCopies.Copy(destination[lane], bytes, source[lane], size(w, lane), arrival));
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
