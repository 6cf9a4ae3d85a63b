package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.reprise.softgpu.memory.HostMemory;

/** The values of a {@code vprintf}: each aligned to its size, one after the other. */
final class PrintfArguments implements PrintfFormat.Values {
  private final Warp w;
  private final int lane;
  private final Op op;
  private long at;
  private int count;

  PrintfArguments(Warp w, int lane, long at, Op op) {
    this.w = w;
    this.lane = lane;
    this.at = at;
    this.op = op;
  }

  int count() {
    return count;
  }

  private long next(int bytes) {
    at = at + bytes - 1 & -bytes;
    long from = GenericMemory.find(w, lane, at, bytes);
    if (from == 0) {
      throw new LaneFault(
          700,
          op.line,
          lane,
          at,
          String.format("illegal read of a value to print at 0x%x (%s)", at, op.text));
    }
    at += bytes;
    count++;
    return from;
  }

  @Override
  public int nextInt() {
    return HostMemory.ALL.get(JAVA_INT_UNALIGNED, next(4));
  }

  @Override
  public long nextLong() {
    return HostMemory.ALL.get(JAVA_LONG_UNALIGNED, next(8));
  }

  @Override
  public double nextDouble() {
    return HostMemory.ALL.get(JAVA_DOUBLE_UNALIGNED, next(8));
  }

  @Override
  public String nextString() {
    return GenericMemory.string(w, lane, nextLong(), op);
  }
}
