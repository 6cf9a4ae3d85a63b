package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.ptx.Space;
import org.jspecify.annotations.Nullable;

/**
 * An operation on memory. Addresses are checked for the warp as a whole by the least and the
 * greatest one; only when that does not settle it, lane by lane.
 */
public abstract class MemoryOp extends Op {
  /** All lanes access one address. */
  static final int UNIFORM = 0;

  /** Lane k accesses {@code address[0] + k * bytes}; only reported for a full mask. */
  static final int CONTIGUOUS = 1;

  static final int SCATTERED = 2;

  private final Space space;
  private final boolean wide;
  private final int register;
  private final long offset;
  private final String verb;

  /** Bytes of one lane's access. */
  protected final int bytes;

  private @Nullable Allocation last;

  protected MemoryOp(MemoryAddress address, String verb) {
    space = address.space();
    wide = address.wide();
    register = address.register();
    offset = address.offset();
    bytes = address.bytes();
    this.verb = verb;
  }

  /**
   * Puts the native address of each active lane into {@link Warp#address}.
   *
   * @return how the addresses lie
   */
  final int resolve(Warp w, int m) {
    long[] a = w.address;
    addresses(w, a);
    long lo;
    long hi;
    long low;
    boolean contiguous = false;
    if (m == -1) {
      long first = a[0];
      long different = 0;
      lo = first;
      hi = first;
      low = 0;
      for (int k = 0; k < Warp.LANES; k++) {
        long x = a[k];
        lo = Math.min(lo, x);
        hi = Math.max(hi, x);
        low |= x;
        different |= x ^ (first + (long) k * bytes);
      }
      contiguous = different == 0;
    } else {
      lo = Long.MAX_VALUE;
      hi = Long.MIN_VALUE;
      low = 0;
      for (int rest = m; rest != 0; rest &= rest - 1) {
        long x = a[Integer.numberOfTrailingZeros(rest)];
        lo = Math.min(lo, x);
        hi = Math.max(hi, x);
        low |= x;
      }
    }
    if ((low & (bytes - 1)) != 0) {
      throw misaligned(a, m);
    }
    long delta;
    switch (space) {
      case GLOBAL, CONST, GENERIC -> {
        Allocation c = last;
        if (c == null || lo < c.base() || !c.contains(hi, bytes) || !c.live()) {
          c = w.memory.find(lo);
          if (c == null || !c.contains(hi, bytes)) {
            laneByLane(w, a, m);
            return SCATTERED;
          }
          last = c;
        }
        delta = c.host() - c.base();
      }
      case SHARED -> {
        if (lo < 0 || hi > w.block.sharedBytes - bytes) {
          throw outside(a, m, w.block.sharedBytes, "shared memory of the block");
        }
        delta = w.block.shared;
      }
      case PARAM -> {
        if (lo < 0 || hi > w.block.parameterBytes - bytes) {
          throw outside(a, m, w.block.parameterBytes, "parameters of the kernel");
        }
        delta = w.block.parameters;
      }
      case LOCAL -> {
        if (lo < 0 || hi > w.block.localBytes - bytes) {
          throw outside(a, m, w.block.localBytes, "local memory of the thread");
        }
        for (int k = 0; k < Warp.LANES; k++) {
          a[k] += localBase(w, k);
        }
        return SCATTERED;
      }
      default -> throw new AssertionError(space);
    }
    for (int k = 0; k < Warp.LANES; k++) {
      a[k] += delta;
    }
    return lo == hi ? UNIFORM : contiguous ? CONTIGUOUS : SCATTERED;
  }

  private void addresses(Warp w, long[] a) {
    if (wide) {
      long[] s = w.l[register];
      for (int k = 0; k < Warp.LANES; k++) {
        a[k] = s[k] + offset;
      }
    } else {
      int[] s = w.i[register];
      int o = (int) offset;
      for (int k = 0; k < Warp.LANES; k++) {
        a[k] = (s[k] + o) & 0xffff_ffffL;
      }
    }
  }

  private static long localBase(Warp w, int lane) {
    return w.block.local + ((long) w.index * Warp.LANES + lane) * w.block.localBytes;
  }

  /** Global addresses in more than one allocation, and generic ones of other spaces. */
  private void laneByLane(Warp w, long[] a, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      long x = a[k];
      if (space == Space.GENERIC && Windows.in(x, Windows.SHARED)) {
        a[k] =
            window(
                x - Windows.SHARED,
                w.block.shared,
                w.block.sharedBytes,
                k,
                "shared memory of the block");
      } else if (space == Space.GENERIC && Windows.in(x, Windows.LOCAL)) {
        a[k] =
            window(
                x - Windows.LOCAL,
                localBase(w, k),
                w.block.localBytes,
                k,
                "local memory of the thread");
      } else if (space == Space.GENERIC && Windows.in(x, Windows.PARAM)) {
        a[k] =
            window(
                x - Windows.PARAM,
                w.block.parameters,
                w.block.parameterBytes,
                k,
                "parameters of the kernel");
      } else {
        Allocation c = w.memory.find(x);
        if (c == null || !c.contains(x, bytes)) {
          throw new LaneFault(
              700,
              line,
              k,
              x,
              String.format("illegal %s of %d bytes at 0x%x (%s)", verb, bytes, x, text));
        }
        a[k] = x - c.base() + c.host();
      }
    }
  }

  private long window(long at, long base, int size, int lane, String what) {
    if (at > size - bytes) {
      throw outside(at, lane, size, what);
    }
    return base + at;
  }

  private LaneFault outside(long at, int lane, int size, String what) {
    return new LaneFault(
        700,
        line,
        lane,
        0,
        String.format(
            "illegal %s of %d bytes at 0x%x of the %s, which has %d bytes (%s)",
            verb, bytes, at, what, size, text));
  }

  private LaneFault outside(long[] a, int m, int size, String what) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      if (a[k] < 0 || a[k] > size - bytes) {
        return outside(a[k], k, size, what);
      }
    }
    throw new AssertionError("no lane is outside");
  }

  private LaneFault misaligned(long[] a, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      if ((a[k] & (bytes - 1)) != 0) {
        boolean device = space == Space.GLOBAL || space == Space.CONST || space == Space.GENERIC;
        return new LaneFault(
            716,
            line,
            k,
            device ? a[k] : 0,
            String.format("misaligned %s of %d bytes at 0x%x (%s)", verb, bytes, a[k], text));
      }
    }
    throw new AssertionError("no lane is misaligned");
  }
}
