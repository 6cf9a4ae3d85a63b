package dev.reprise.softgpu.engine.exec;

/**
 * A matrix spread over the registers of a warp.
 *
 * @param registers int arrays, double arrays for f64
 * @param places for element e of lane l, at {@code l * elements + e}: its row times the number of
 *     columns plus its column
 * @param size rows times columns
 */
public record MatrixFragment(MatrixElement element, int[] registers, int[] places, int size)
    implements Multiplicand {

  /** Row times columns plus column of an element of a lane. */
  @FunctionalInterface
  public interface Layout {
    int place(int lane, int element);
  }

  public static MatrixFragment of(MatrixElement element, int[] registers, int size, Layout layout) {
    int n = registers.length * element.perRegister();
    int[] places = new int[Warp.LANES * n];
    for (int lane = 0; lane < Warp.LANES; lane++) {
      for (int e = 0; e < n; e++) {
        places[lane * n + e] = layout.place(lane, e);
      }
    }
    return new MatrixFragment(element, registers, places, size);
  }

  @Override
  public double[] gather(Warp w, int set) {
    double[] m = new double[size];
    int per = element.perRegister();
    int n = registers.length * per;
    for (int r = 0; r < registers.length; r++) {
      if (element == MatrixElement.F64) {
        double[] from = w.d[registers[r]];
        for (int rest = set; rest != 0; rest &= rest - 1) {
          int lane = Integer.numberOfTrailingZeros(rest);
          m[places[lane * n + r]] = from[lane];
        }
        continue;
      }
      int[] from = w.i[registers[r]];
      for (int rest = set; rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        for (int part = 0; part < per; part++) {
          m[places[lane * n + r * per + part]] = element.decode(from[lane], part);
        }
      }
    }
    return m;
  }

  /** Puts a matrix into the registers. */
  void scatter(Warp w, double[] m, boolean saturate) {
    int per = element.perRegister();
    int n = registers.length * per;
    for (int r = 0; r < registers.length; r++) {
      for (int lane = 0; lane < Warp.LANES; lane++) {
        if (element == MatrixElement.F64) {
          w.d[registers[r]][lane] = m[places[lane * n + r]];
          continue;
        }
        int bits = 0;
        for (int part = 0; part < per; part++) {
          bits |= element.encode(m[places[lane * n + r * per + part]], part, saturate);
        }
        w.i[registers[r]][lane] = bits;
      }
    }
  }
}
