package dev.reprise.softgpu.engine.exec;

/**
 * A matrix half of whose elements are zero and not held; metadata tell where the others belong (PTX
 * ISA, "Sparse matrix storage"). Where they name one place twice, which the manual leaves
 * undefined, both elements count.
 *
 * @param half the elements that are held: as many rows, half the columns
 * @param metadata int array
 * @param selector which lanes of a group of four give metadata, where not all do
 */
public record SparseFragment(MatrixFragment half, SparseLayout layout, int metadata, int selector)
    implements Multiplicand {

  @Override
  public MatrixElement element() {
    return half.element();
  }

  @Override
  public double[] gather(Warp w, int set) {
    return half.gather(w, set);
  }

  @Override
  public int[] columns(Warp w, int set) {
    int[] columns = new int[half.size()];
    int each = layout.columns() / 2;
    int[] words = w.i[metadata];
    for (int at = 0; at < columns.length; at++) {
      int row = at / each;
      int held = at % each;
      int chunk = layout.chunk(held);
      int lane = layout.lane(row, chunk, selector);
      // Lanes that do not take part have no metadata either.
      int word = (set >>> lane & 1) != 0 ? words[lane] : 0;
      columns[at] = layout.column(held, word >>> layout.bit(row, chunk) & 0xf);
    }
    return columns;
  }
}
