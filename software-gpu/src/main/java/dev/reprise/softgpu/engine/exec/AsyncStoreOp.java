package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.softgpu.memory.HostMemory;

/**
 * {@code st.async} and {@code red.async} to shared memory of the cluster: the value arrives, and
 * its bytes count as come, when somebody looks at the barrier (PTX ISA, "st.async", "red.async").
 */
public final class AsyncStoreOp extends Op {
  /** Brings a value to its place. */
  @FunctionalInterface
  public interface Arrival {
    void write(long at, long bits);
  }

  private final LaneAccess to;
  private final LaneAccess barrier;
  private final Arrival arrival;
  private final int bytes;
  private final int[] values;

  /**
   * @param to of all elements together
   * @param bytes of an element, 4 or 8
   * @param values for each element an int array, or a long array where it has 8 bytes
   */
  public AsyncStoreOp(
      MemoryAddress to, MemoryAddress barrier, Arrival arrival, int bytes, int... values) {
    this.to = new LaneAccess(to, "asynchronous write");
    this.barrier = new LaneAccess(barrier, "mbarrier access");
    this.arrival = arrival;
    this.bytes = bytes;
    this.values = values;
  }

  /** Stores the value. */
  public static Arrival store(int bytes) {
    return bytes == Long.BYTES
        ? (at, bits) -> HostMemory.ALL.set(JAVA_LONG, at, bits)
        : (at, bits) -> HostMemory.ALL.set(JAVA_INT, at, (int) bits);
  }

  /** Updates 4 bytes. */
  public static Arrival update(AtomicOp.IntUpdate update) {
    return (at, bits) -> AtomicOp.update32(update, at, (int) bits, (int) bits);
  }

  /** Updates 8 bytes. */
  public static Arrival update(AtomicOp.LongUpdate update) {
    return (at, bits) -> AtomicOp.update64(update, at, bits, bits);
  }

  @Override
  public void run(Warp w, int m) {
    long[] places = to.resolvePlain(w, m, this).clone();
    long[] barriers = barrier.resolvePlain(w, m, this).clone();
    long[] seen = new long[Warp.LANES];
    to.addresses(w, seen);
    int size = bytes * values.length;
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      long[] bits = new long[values.length];
      for (int k = 0; k < bits.length; k++) {
        bits[k] = bytes == Long.BYTES ? w.l[values[k]][lane] : w.i[values[k]][lane];
      }
      long place = places[lane];
      long at = barriers[lane];
      Runnable tell = to.telling(w, lane, seen[lane], size);
      w.block
          .cluster()
          .track(
              at,
              () -> {
                tell.run();
                for (int k = 0; k < bits.length; k++) {
                  arrival.write(place + (long) k * bytes, bits[k]);
                }
                PhaseBarrier.complete(at, size, this, lane);
              });
    }
  }
}
