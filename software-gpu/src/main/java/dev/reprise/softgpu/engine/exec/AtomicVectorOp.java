package dev.reprise.softgpu.engine.exec;

import org.jspecify.annotations.Nullable;

/**
 * {@code atom} and {@code red} on vectors: each element is updated atomically, the vector as a
 * whole is not (PTX ISA, "atom").
 */
public final class AtomicVectorOp extends MemoryOp {
  private final AtomicOp.IntUpdate update;
  private final int element;
  private final int @Nullable [] results;
  private final int[] operands;

  /**
   * @param element bytes of an element, 2 or 4
   * @param results int arrays for the old values, or null
   * @param operands int arrays with the operand of each element
   */
  public AtomicVectorOp(
      MemoryAddress address,
      AtomicOp.IntUpdate update,
      int element,
      int @Nullable [] results,
      int[] operands) {
    super(address, "atomic access");
    this.update = update;
    this.element = element;
    this.results = results;
    this.operands = operands;
  }

  @Override
  public void run(Warp w, int m) {
    resolveLanes(w, m);
    w.polled = true;
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      // Results may be operands of later elements.
      int[] old = new int[operands.length];
      for (int k = 0; k < operands.length; k++) {
        long at = w.address[lane] + (long) k * element;
        int x = w.i[operands[k]][lane];
        old[k] =
            element == 4
                ? AtomicOp.update32(update, at, x, x)
                : AtomicOp.update16(update, at, x, x);
      }
      for (int k = 0; results != null && k < old.length; k++) {
        w.i[results[k]][lane] = old[k];
      }
    }
  }
}
