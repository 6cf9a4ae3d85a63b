package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.softgpu.memory.HostMemory;
import java.lang.invoke.VarHandle;

/**
 * {@code atom} and {@code red}: lanes go in ascending order, each read-modify-write is atomic among
 * all threads of the host.
 */
public final class AtomicOp extends MemoryOp {
  /** New value of a location of up to 32 bits, from the old one and the operands. */
  @FunctionalInterface
  public interface IntUpdate {
    int apply(int old, int b, int c);
  }

  /** New value of a location of 64 bits. */
  @FunctionalInterface
  public interface LongUpdate {
    long apply(long old, long b, long c);
  }

  private static final VarHandle INT = JAVA_INT.varHandle();
  private static final VarHandle LONG = JAVA_LONG.varHandle();

  private final IntUpdate intUpdate;
  private final LongUpdate longUpdate;
  private final int result;
  private final int b;
  private final int c;

  private AtomicOp(
      MemoryAddress address, IntUpdate intUpdate, LongUpdate longUpdate, int result, int b, int c) {
    super(address, "atomic access");
    this.intUpdate = intUpdate;
    this.longUpdate = longUpdate;
    this.result = result;
    this.b = b;
    this.c = c;
  }

  /**
   * On a location of 2 or 4 bytes.
   *
   * @param result int array for the old value, or -1
   * @param b int array with the operand
   * @param c int array with the second operand; {@code b} again where there is none
   */
  public static AtomicOp ofInt(MemoryAddress address, IntUpdate update, int result, int b, int c) {
    return new AtomicOp(address, update, (x, y, z) -> x, result, b, c);
  }

  /** On a location of 8 bytes; arrays are long ones. */
  public static AtomicOp ofLong(
      MemoryAddress address, LongUpdate update, int result, int b, int c) {
    return new AtomicOp(address, (x, y, z) -> x, update, result, b, c);
  }

  @Override
  public void run(Warp w, int m) {
    resolveLanes(w, m);
    w.polled = true;
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      long at = w.address[k];
      switch (bytes) {
        case 8 -> {
          long old = update64(longUpdate, at, w.l[b][k], w.l[c][k]);
          if (result >= 0) {
            w.l[result][k] = old;
          }
        }
        case 4 -> {
          int old = update32(intUpdate, at, w.i[b][k], w.i[c][k]);
          if (result >= 0) {
            w.i[result][k] = old;
          }
        }
        default -> {
          int old = update16(intUpdate, at, w.i[b][k], w.i[c][k]);
          if (result >= 0) {
            w.i[result][k] = old;
          }
        }
      }
    }
  }

  static long update64(LongUpdate longUpdate, long at, long x, long y) {
    while (true) {
      long old = (long) LONG.getVolatile(HostMemory.ALL, at);
      if (LONG.compareAndSet(HostMemory.ALL, at, old, longUpdate.apply(old, x, y))) {
        return old;
      }
    }
  }

  static int update32(IntUpdate intUpdate, long at, int x, int y) {
    while (true) {
      int old = (int) INT.getVolatile(HostMemory.ALL, at);
      if (INT.compareAndSet(HostMemory.ALL, at, old, intUpdate.apply(old, x, y))) {
        return old;
      }
    }
  }

  /**
   * There is no 16-bit compare-and-set on memory: the half of a word that holds the value is
   * exchanged with the word.
   */
  static int update16(IntUpdate intUpdate, long at, int x, int y) {
    long word = at & ~3;
    int shift = (int) (at & 2) * 8;
    while (true) {
      int old = (int) INT.getVolatile(HostMemory.ALL, word);
      int half = old >>> shift & 0xffff;
      int next = (old & ~(0xffff << shift)) | (intUpdate.apply(half, x, y) & 0xffff) << shift;
      if (INT.compareAndSet(HostMemory.ALL, word, old, next)) {
        return half;
      }
    }
  }
}
