package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.engine.math.Rounding;
import dev.reprise.softgpu.engine.math.RoundingMode;

/**
 * {@code mma} and {@code wmma.mma}: d = a · b + c for one or, in the oldest shape, four products of
 * a warp; a may be sparse, both may be scaled. Sums of f16, bf16, tf32 and smaller floats are made
 * in double and rounded once, as the manual leaves their precision open; f64 is fused in ascending
 * order.
 */
public final class MatrixMultiplyOp extends SyncOp {
  /** Rows of a, columns of b, and what they share; {@code copies} independent products. */
  public record Shape(int m, int n, int k, int copies) {}

  /** How products of single bits are made. */
  public enum BitOperation {
    NONE,
    XOR,
    AND
  }

  private final Shape shape;
  private final MatrixFragment d;
  private final Multiplicand a;
  private final Multiplicand b;
  private final MatrixFragment c;
  private final BitOperation bits;
  private final RoundingMode rounding;
  private final boolean saturate;

  public MatrixMultiplyOp(
      Shape shape,
      MatrixFragment d,
      Multiplicand a,
      Multiplicand b,
      MatrixFragment c,
      BitOperation bits,
      RoundingMode rounding,
      boolean saturate,
      int members) {
    super(members);
    this.shape = shape;
    this.d = d;
    this.a = a;
    this.b = b;
    this.c = c;
    this.bits = bits;
    this.rounding = rounding;
    this.saturate = saturate;
  }

  @Override
  protected void together(Warp w, int set, int named) {
    double[] x = a.gather(w, set);
    double[] y = b.gather(w, set);
    double[] sum = c.gather(w, set);
    int[] columns = a.columns(w, set);
    int held = columns == null ? shape.k : shape.k / 2;
    for (int copy = 0; copy < shape.copies; copy++) {
      for (int row = 0; row < shape.m; row++) {
        for (int column = 0; column < shape.n; column++) {
          int at = (copy * shape.m + row) * shape.n + column;
          int fromA = (copy * shape.m + row) * held;
          int fromB = copy * shape.k * shape.n + column;
          sum[at] =
              columns == null
                  ? element(x, fromA, y, fromB, sum[at])
                  : sparse(x, columns, fromA, y, column, sum[at]);
        }
      }
    }
    d.scatter(w, sum, saturate);
  }

  /** Only what a holds is multiplied: where it has none, an infinity of b does no harm. */
  private double sparse(
      double[] x, int[] columns, int fromA, double[] y, int column, double start) {
    double s = 0;
    for (int k = fromA; k < fromA + shape.k / 2; k++) {
      s += x[k] * y[columns[k] * shape.n + column];
    }
    return s + start;
  }

  private double element(double[] x, int fromA, double[] y, int fromB, double start) {
    double s = a.element().integral() || a.element() == MatrixElement.F64 ? start : 0;
    for (int k = 0; k < shape.k; k++) {
      double p = x[fromA + k];
      double q = y[fromB + k * shape.n];
      s =
          switch (bits) {
            case XOR -> s + Math.abs(p - q);
            case AND -> s + p * q;
            case NONE ->
                a.element() != MatrixElement.F64
                    ? s + p * q
                    : rounding == RoundingMode.RN
                        ? Math.fma(p, q, s)
                        : Rounding.fma(p, q, s, rounding);
          };
    }
    return a.element().integral() || a.element() == MatrixElement.F64 ? s : s + start;
  }
}
