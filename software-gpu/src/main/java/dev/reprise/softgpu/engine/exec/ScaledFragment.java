package dev.reprise.softgpu.engine.exec;

import org.jspecify.annotations.Nullable;

/**
 * A multiplicand whose elements are multiplied by scale factors, one for each block of them along
 * the dimension that is summed over (PTX ISA, "Block Scaling").
 *
 * @param width columns of what is held of the matrix
 * @param depth how many products are summed
 */
public record ScaledFragment(Multiplicand of, ScaleFactors factors, int width, int depth)
    implements Multiplicand {

  @Override
  public MatrixElement element() {
    return of.element();
  }

  @Override
  public double[] gather(Warp w, int set) {
    double[] m = of.gather(w, set);
    int[] columns = of.columns(w, set);
    double[] scales = factors.gather(w, set);
    int each = factors.perLine();
    int block = depth / each;
    for (int at = 0; at < m.length; at++) {
      int row = at / width;
      int column = columns == null ? at % width : columns[at];
      // Exact: both have few significant digits.
      m[at] *=
          factors.left()
              ? scales[row * each + column / block]
              : scales[column * each + row / block];
    }
    return m;
  }

  @Override
  public int @Nullable [] columns(Warp w, int set) {
    return of.columns(w, set);
  }
}
