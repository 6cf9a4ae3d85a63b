package dev.reprise.kernels.check;

import dev.reprise.kernels.BlockTables;
import dev.reprise.kernels.KvLayer;
import dev.reprise.kernels.reference.PoolShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Sequences in a paged pool whose unused slots, and whose null block, hold NaN. */
public final class PagedPool {

  private final PoolShape shape;
  private final int[][] tables;
  private final int[] lengths;
  private final float[] keys;
  private final float[] values;

  /** Gives each sequence random blocks, the first and the last of the pool among them. */
  public PagedPool(Random random, int kvHeads, int blockSize, int headDim, int... lengths) {
    this.lengths = lengths.clone();
    int used = 0;
    for (int length : lengths) {
      used += (length + blockSize - 1) / blockSize;
    }
    shape = new PoolShape(used + 1, kvHeads, blockSize, headDim);
    List<Integer> free = new ArrayList<>();
    for (int block = 1; block <= used; block++) {
      free.add(block);
    }
    Collections.shuffle(free, random);
    tables = new int[lengths.length][];
    keys = new float[shape.elements()];
    values = new float[shape.elements()];
    Arrays.fill(keys, Float.NaN);
    Arrays.fill(values, Float.NaN);
    for (int s = 0; s < lengths.length; s++) {
      int count = (lengths[s] + blockSize - 1) / blockSize;
      tables[s] = new int[count];
      for (int i = 0; i < count; i++) {
        tables[s][i] = free.removeLast();
      }
      fill(random, s);
    }
  }

  private void fill(Random random, int sequence) {
    for (int position = 0; position < lengths[sequence]; position++) {
      for (int head = 0; head < shape.kvHeads(); head++) {
        int at = shape.slot(tables[sequence], position, head);
        for (int d = 0; d < shape.headDim(); d++) {
          keys[at + d] = random.nextFloat() * 2 - 1;
          values[at + d] = random.nextFloat() * 2 - 1;
        }
      }
    }
  }

  /** The shape of the pool. */
  public PoolShape shape() {
    return shape;
  }

  /** KV blocks of each sequence; a test may break them. */
  public int[][] tables() {
    return tables;
  }

  /** The keys of the pool. */
  public float[] keys() {
    return keys;
  }

  /** The values of the pool. */
  public float[] values() {
    return values;
  }

  private int[] entries(int maxBlocks, int unused) {
    int[] entries = new int[tables.length * maxBlocks];
    Arrays.fill(entries, unused);
    for (int s = 0; s < tables.length; s++) {
      System.arraycopy(tables[s], 0, entries, s * maxBlocks, Math.min(tables[s].length, maxBlocks));
    }
    return entries;
  }

  /** Blocks of the longest sequence. */
  public int mostBlocks() {
    return Arrays.stream(tables).mapToInt(table -> table.length).max().orElseThrow();
  }

  /** The pool on a device. */
  public KvLayer upload(DeviceArrays gpu) {
    return new KvLayer(
        gpu.floats(keys),
        gpu.floats(values),
        shape.blocks(),
        shape.kvHeads(),
        shape.blockSize(),
        shape.headDim());
  }

  /**
   * The block tables on a device.
   *
   * @param maxBlocks entries of a table
   * @param unused what entries hold that a sequence does not use
   */
  public BlockTables tables(DeviceArrays gpu, int maxBlocks, int unused) {
    return new BlockTables(gpu.ints(entries(maxBlocks, unused)), tables.length, maxBlocks);
  }
}
