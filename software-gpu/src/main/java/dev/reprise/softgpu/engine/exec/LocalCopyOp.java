package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.memory.HostMemory;

/** Copies a parameter or result of a call within the local memory of each lane. */
public final class LocalCopyOp extends Op {
  private final int framePointer;
  private final long from;
  private final long to;
  private final long bytes;

  /**
   * @param framePointer long array that both places count from
   */
  public LocalCopyOp(int framePointer, long from, long to, long bytes) {
    this.framePointer = framePointer;
    this.from = from;
    this.to = to;
    this.bytes = bytes;
  }

  @Override
  public void run(Warp w, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      long frame = w.l[framePointer][lane];
      if (frame + Math.max(from, to) + bytes > w.block.localBytes) {
        throw new LaneFault(
            714,
            line,
            lane,
            0,
            "stack overflow: " + w.block.localBytes + " bytes of local memory in a thread");
      }
      long base = w.block.localOf(w, lane) + frame;
      HostMemory.ALL.asSlice(base + to, bytes).copyFrom(HostMemory.ALL.asSlice(base + from, bytes));
    }
  }
}
