package dev.reprise.kernels.reference;

/**
 * Shape of a KV pool {@code [blocks][kvHeads][blockSize][headDim]}.
 *
 * @param blocks KV blocks, the null block included
 * @param kvHeads key/value heads
 * @param blockSize positions a block
 * @param headDim width of a head
 */
public record PoolShape(int blocks, int kvHeads, int blockSize, int headDim) {

  /** Elements of the keys, or of the values. */
  public int elements() {
    return Math.multiplyExact(blocks * kvHeads, blockSize * headDim);
  }

  /** Index of element 0 of the slot of a position, in a sequence of the given blocks. */
  public int slot(int[] table, int position, int kvHead) {
    int block = table[position / blockSize];
    return ((block * kvHeads + kvHead) * blockSize + position % blockSize) * headDim;
  }
}
