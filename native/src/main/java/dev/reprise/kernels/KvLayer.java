package dev.reprise.kernels;

/**
 * The paged KV pool of one layer: keys and values, each f32 {@code
 * [blocks][kvHeads][blockSize][headDim]}. Position p of a sequence is slot {@code p % blockSize} of
 * the block that the sequence's block table names at {@code p / blockSize}. Block 0 is the null
 * block: unused table entries name it and no live row writes it.
 *
 * @param keys the keys
 * @param values the values
 * @param blocks KV blocks, the null block included
 * @param kvHeads key/value heads
 * @param blockSize positions a block, a power of two of at least 16
 * @param headDim width of a head: 32, 64 or 128
 */
public record KvLayer(Span keys, Span values, int blocks, int kvHeads, int blockSize, int headDim) {

  /** Bytes of the keys, or of the values, of a pool. */
  public static long bytes(int blocks, int kvHeads, int blockSize, int headDim) {
    return Math.multiplyExact((long) blocks * kvHeads, (long) blockSize * headDim * Float.BYTES);
  }

  /** Byte offset, in keys or values, of a head's slot in a block. */
  public long slotOffset(int block, int kvHead, int slot) {
    return (((long) block * kvHeads + kvHead) * blockSize + slot) * headDim * Float.BYTES;
  }
}
