package dev.reprise.graph.kv;

/**
 * How keys and values lie in memory: for each layer first all keys, then all values, each as f32
 * {@code [blocks][kvHeads][blockSize][headDim]}.
 *
 * @param layers attention layers
 * @param kvHeads key/value heads of a layer
 * @param headDim elements of a head
 * @param blockSize positions of a block, a power of two
 */
public record KvLayout(int layers, int kvHeads, int headDim, int blockSize) {

  /** Checks the sizes. */
  public KvLayout {
    if (layers < 1 || kvHeads < 1 || headDim < 1) {
      throw new IllegalArgumentException(
          "KV sizes must be positive: %d layers, %d heads of %d"
              .formatted(layers, kvHeads, headDim));
    }
    if (blockSize < 1 || Integer.bitCount(blockSize) != 1) {
      throw new IllegalArgumentException(
          "The KV block size must be a power of two, not " + blockSize);
    }
  }

  /** Bytes of the keys (or of the values) of one block in one layer. */
  public long blockBytes() {
    return (long) kvHeads * blockSize * headDim * Float.BYTES;
  }

  /** Bytes of one block over all layers, keys and values together. */
  public long blockBytesAllLayers() {
    return 2L * layers * blockBytes();
  }

  /** How many blocks hold positions 0 … {@code positions - 1}. */
  public int blocksFor(int positions) {
    return (positions + blockSize - 1) / blockSize;
  }

  @Override
  public String toString() {
    return "f32 " + layers + "x" + kvHeads + "x" + blockSize + "x" + headDim;
  }
}
