package dev.reprise.graph.kv;

import dev.reprise.kernels.Span;

/**
 * The device memory of a pool: for each layer a part for the keys and one for the values, each with
 * all blocks one after the other, at addresses that stay the same.
 */
interface KvMemory extends AutoCloseable {

  /** A part with room for {@link #mostBlocks}, of which only the beginning may be memory now. */
  Span part(int index);

  /** Blocks that there can be memory for. */
  int mostBlocks();

  /** Device bytes now. */
  long bytes();

  /** Device bytes that {@link #grow} would add. */
  long bytesToGrow(int wanted);

  /**
   * Adds memory behind what there is, until there is enough for {@code wanted} blocks. Nothing
   * moves.
   *
   * @throws dev.reprise.cuda.CudaException if the device has not so much; what some parts got stays
   *     for the next time
   */
  void grow(int wanted);

  /**
   * Gives memory behind {@code kept} blocks back, as far as it goes. Waits for the device; graphs
   * that captured the pool are refused afterwards, if any is given back.
   */
  void shrink(int kept);

  @Override
  void close();
}
