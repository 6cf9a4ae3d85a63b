package dev.reprise.softgpu.engine.exec;

/** {@code bar} and {@code barrier} of a block (PTX ISA, "bar, barrier"). */
public final class BarrierOp extends BlockingOp {
  /** What happens besides waiting. */
  public enum Form {
    SYNC,
    ARRIVE,
    POPC,
    AND,
    OR
  }

  final Form form;
  final int id;
  final int threads;
  final int source;
  final int sourceFlip;
  final int result;

  /**
   * @param id int array with the barrier's number
   * @param threads int array with the number of threads, -1 for the whole block
   * @param source predicate that is reduced, or -1
   * @param result int array (POPC) or predicate (AND, OR) for the reduction, or -1
   */
  public BarrierOp(Form form, int id, int threads, int source, boolean negated, int result) {
    this.form = form;
    this.id = id;
    this.threads = threads;
    this.source = source;
    this.sourceFlip = negated ? -1 : 0;
    this.result = result;
  }

  @Override
  int arrive(Warp w, int m, int nextPc) {
    return w.block.arrive(w, this, m, nextPc) ? m : 0;
  }

  void complete(Warp w, int m, int count, int arrived) {
    switch (form) {
      case POPC -> {
        int[] d = w.i[result];
        for (int rest = m; rest != 0; rest &= rest - 1) {
          d[Integer.numberOfTrailingZeros(rest)] = count;
        }
      }
      case AND -> w.p[result] = count == arrived ? w.p[result] | m : w.p[result] & ~m;
      case OR -> w.p[result] = count > 0 ? w.p[result] | m : w.p[result] & ~m;
      case SYNC, ARRIVE -> {}
    }
  }
}
