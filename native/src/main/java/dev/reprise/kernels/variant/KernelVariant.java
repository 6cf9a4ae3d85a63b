package dev.reprise.kernels.variant;

import java.util.Locale;

/** One way to run a kernel. All variants that are for a shape give the same bits. */
public sealed interface KernelVariant {

  /** The variant in one line, the same for the same variant. */
  String text();

  /**
   * How a product is cut.
   *
   * @param form which kernel
   * @param warps warps of a block: 1, 2, 4 or 8
   * @param rowsPerBlock rows that a block computes at a time: 1, 2 or 4; 1 for {@link Form#ANY}
   */
  record Product(Form form, int warps, int rowsPerBlock) implements KernelVariant {

    /** The kernels of a product. */
    public enum Form {
      /** 16 outputs a warp. */
      WIDE,
      /** 4 outputs a warp. */
      NARROW,
      /** Split-K: 4 outputs a block, whose warps share the dot product. */
      SPLIT,
      /** For row lengths that leave rows of W unaligned; it has an order of sums of its own. */
      ANY;

      /** As in the names of the kernels. */
      public String label() {
        return name().toLowerCase(Locale.ROOT);
      }
    }

    @Override
    public String text() {
      return "%s warps=%d rows_per_block=%d".formatted(form.label(), warps, rowsPerBlock);
    }
  }

  /**
   * Over how many blocks attention spreads the sequence of a row.
   *
   * @param splits at least 1, at most the segments of the context
   */
  record Attention(int splits) implements KernelVariant {

    @Override
    public String text() {
      return "splits=" + splits;
    }
  }

  /**
   * How SwiGLU reads and writes.
   *
   * @param vector elements of a load: 4, or 1 for any width
   * @param warps warps of a block: 1, 2, 4 or 8
   */
  record Gate(int vector, int warps) implements KernelVariant {

    @Override
    public String text() {
      return "vector=%d warps=%d".formatted(vector, warps);
    }
  }
}
