package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.softgpu.memory.HostMemory;

/** {@code atom.exch} and {@code atom.cas} on 128 bits: one after the other, by a lock. */
public final class AtomicWideOp extends MemoryOp {
  /** Long arrays with the lower and the upper half of a value. */
  public record Halves(int low, int high) {}

  private static final Object LOCK = new Object();

  private final boolean compare;
  private final Halves result;
  private final Halves b;
  private final Halves c;

  /**
   * @param compare whether {@code c} is only written where the old value is {@code b}; else {@code
   *     b} is written
   */
  public AtomicWideOp(MemoryAddress address, boolean compare, Halves result, Halves b, Halves c) {
    super(address, "atomic access");
    this.compare = compare;
    this.result = result;
    this.b = b;
    this.c = c;
  }

  @Override
  public void run(Warp w, int m) {
    resolveLanes(w, m);
    w.polled = true;
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      long at = w.address[lane];
      long bLow = w.l[b.low][lane];
      long bHigh = w.l[b.high][lane];
      long cLow = w.l[c.low][lane];
      long cHigh = w.l[c.high][lane];
      synchronized (LOCK) {
        long low = HostMemory.ALL.get(JAVA_LONG, at);
        long high = HostMemory.ALL.get(JAVA_LONG, at + 8);
        if (!compare) {
          put(at, bLow, bHigh);
        } else if (low == bLow && high == bHigh) {
          put(at, cLow, cHigh);
        }
        w.l[result.low][lane] = low;
        w.l[result.high][lane] = high;
      }
    }
  }

  private static void put(long at, long low, long high) {
    HostMemory.ALL.set(JAVA_LONG, at, low);
    HostMemory.ALL.set(JAVA_LONG, at + 8, high);
  }
}
