package dev.reprise.kernels.variant;

import dev.reprise.kernels.contract.ElementType;

/** What a kernel with variants is launched on: all that its speed depends on besides the device. */
public sealed interface TunableShape {

  /** Name of the operation. */
  String operation();

  /** Element type of the operand that decides the time. */
  String dtype();

  /** The sizes. */
  String sizes();

  /** Elements between neighbours in the slower directions of each operand. */
  String strides();

  /** Which elements are left out. */
  String mask();

  /**
   * A product with a weight matrix.
   *
   * @param weights element type of the weights
   * @param rows rows of the bucket
   * @param in length of a dot product
   * @param out outputs a row
   */
  record Product(ElementType weights, int rows, int in, int out) implements TunableShape {

    @Override
    public String operation() {
      return "matmul";
    }

    @Override
    public String dtype() {
      return weights.name();
    }

    @Override
    public String sizes() {
      return "rows=%d in=%d out=%d".formatted(rows, in, out);
    }

    @Override
    public String strides() {
      return "w=%d x=%d y=%d".formatted(in, in, out);
    }

    @Override
    public String mask() {
      return "none";
    }
  }

  /**
   * Attention over the paged KV pool.
   *
   * @param rows rows of the bucket
   * @param heads query heads
   * @param kvHeads key/value heads
   * @param headDim width of a head
   * @param blockSize positions a KV block
   * @param context positions of the bucket
   */
  record Attention(int rows, int heads, int kvHeads, int headDim, int blockSize, int context)
      implements TunableShape {

    @Override
    public String operation() {
      return "attention";
    }

    @Override
    public String dtype() {
      return ElementType.F32.name();
    }

    @Override
    public String sizes() {
      return "rows=%d heads=%d kv_heads=%d head_dim=%d context=%d"
          .formatted(rows, heads, kvHeads, headDim, context);
    }

    @Override
    public String strides() {
      return "block=%d head=%d position=%d"
          .formatted(kvHeads * blockSize * headDim, blockSize * headDim, headDim);
    }

    @Override
    public String mask() {
      return "causal by position";
    }
  }

  /**
   * SwiGLU.
   *
   * @param rows rows of the bucket
   * @param ff width of the feed-forward layer
   */
  record Gate(int rows, int ff) implements TunableShape {

    @Override
    public String operation() {
      return "swiglu";
    }

    @Override
    public String dtype() {
      return ElementType.F32.name();
    }

    @Override
    public String sizes() {
      return "rows=%d ff=%d".formatted(rows, ff);
    }

    @Override
    public String strides() {
      return "gate_up=%d out=%d".formatted(2 * ff, ff);
    }

    @Override
    public String mask() {
      return "none";
    }
  }
}
