package dev.reprise.graph.model;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The sizes of a Llama-family model that decide what a decode step moves and computes.
 *
 * @param name as commands write it
 * @param layers transformer layers
 * @param width of the hidden state
 * @param heads query heads
 * @param kvHeads key and value heads
 * @param headDim elements of a head
 * @param feedForward width of the feed-forward layer
 * @param vocabulary tokens
 * @param weightBytes bytes of a weight
 * @param kvBytes bytes of an element of a key or value
 */
public record ModelShape(
    String name,
    int layers,
    int width,
    int heads,
    int kvHeads,
    int headDim,
    int feedForward,
    int vocabulary,
    int weightBytes,
    int kvBytes) {

  private static final int KERNELS_PER_LAYER = 9;
  private static final int KERNELS_BESIDES = 5;

  /** The models that are known by name, from their published configurations. */
  public static final List<ModelShape> ALL =
      List.of(
          new ModelShape("llama-3.1-8b", 32, 4096, 32, 8, 128, 14_336, 128_256, 2, 2),
          new ModelShape("llama-3.2-1b", 16, 2048, 32, 8, 64, 8192, 128_256, 2, 2),
          new ModelShape("llama-3.1-70b", 80, 8192, 64, 8, 128, 28_672, 128_256, 2, 2),
          new ModelShape("tiny-stories", 5, 128, 4, 2, 32, 384, 1024, 4, 4));

  /** Checks that sizes are positive. */
  public ModelShape {
    int[] sizes = {
      layers, width, heads, kvHeads, headDim, feedForward, vocabulary, weightBytes, kvBytes
    };
    for (int size : sizes) {
      if (size < 1) {
        throw new IllegalArgumentException("the sizes of a model must be at least 1: " + size);
      }
    }
  }

  /**
   * The model of a name.
   *
   * @throws IllegalArgumentException if it is not known; the message lists those that are
   */
  public static ModelShape named(String name) {
    return ALL.stream()
        .filter(model -> model.name.equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "unknown model \"%s\"; known are %s"
                    .formatted(
                        name,
                        ALL.stream().map(ModelShape::name).collect(Collectors.joining(", ")))));
  }

  /** Weights that every step reads: all but the embedding, of which it reads one row a token. */
  public long stepWeights() {
    long attention = (long) width * headDim * (2L * heads + 2L * kvHeads);
    long layer = attention + 3L * width * feedForward + 2L * width;
    return layers * layer + (long) vocabulary * width + width;
  }

  /** Bytes of the keys and values of one position in all layers. */
  public long kvBytesPerPosition() {
    return 2L * layers * kvHeads * headDim * kvBytes;
  }

  /**
   * The least bytes that the products of a step move: every weight once, and for each row a row of
   * the embedding and the new keys and values. Activations are taken to stay on the chip.
   *
   * @param rows tokens that are computed
   */
  public double productBytes(int rows) {
    return (double) (stepWeights() + (long) rows * width) * weightBytes
        + (double) rows * kvBytesPerPosition();
  }

  /** Bytes of the keys and values that attention reads for rows of so many positions each. */
  public double attentionBytes(int rows, int context) {
    return (double) rows * context * kvBytesPerPosition();
  }

  /** Floating-point operations of the products of a step with the weights. */
  public double productFlops(int rows) {
    return 2.0 * rows * stepWeights();
  }

  /** Floating-point operations of attention for rows of so many positions each. */
  public double attentionFlops(int rows, int context) {
    return 4.0 * rows * layers * heads * headDim * context;
  }

  /**
   * The least bytes that a decode step moves.
   *
   * @param rows tokens that are computed
   * @param context positions of each row's sequence
   */
  public double stepBytes(int rows, int context) {
    return productBytes(rows) + attentionBytes(rows, context);
  }

  /** Floating-point operations of a decode step: products with the weights, and attention. */
  public double stepFlops(int rows, int context) {
    return productFlops(rows) + attentionFlops(rows, context);
  }

  /**
   * Kernels of a step in this project's decode step: nine a layer, and embedding, last norm,
   * logits, sampling and advance.
   */
  public int kernels() {
    return KERNELS_PER_LAYER * layers + KERNELS_BESIDES;
  }
}
