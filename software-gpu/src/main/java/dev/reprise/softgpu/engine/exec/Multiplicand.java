package dev.reprise.softgpu.engine.exec;

import org.jspecify.annotations.Nullable;

/** A matrix that {@link MatrixMultiplyOp} multiplies, however the lanes hold it. */
public sealed interface Multiplicand permits MatrixFragment, SparseFragment, ScaledFragment {
  /** What its elements are. */
  MatrixElement element();

  /** What is held of the matrix, by rows; what lanes outside {@code set} would hold is 0. */
  double[] gather(Warp w, int set);

  /**
   * For each element that {@link #gather} gives, the column to which it belongs; null where all
   * elements are held. What belongs nowhere takes no part in products.
   */
  default int @Nullable [] columns(Warp w, int set) {
    return null;
  }
}
