package dev.reprise.kernels;

import dev.reprise.kernels.reference.PoolShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Sequences in a paged pool whose unused slots, and whose null block, hold NaN. */
final class Paged {

  final PoolShape shape;
  final int[][] tables;
  final int[] lengths;
  final float[] keys;
  final float[] values;

  /** Gives each sequence random blocks, the first and the last of the pool among them. */
  Paged(Random random, int kvHeads, int blockSize, int headDim, int... lengths) {
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

  /** The tables as the device has them; what a sequence does not use holds {@code unused}. */
  int[] entries(int maxBlocks, int unused) {
    int[] entries = new int[tables.length * maxBlocks];
    Arrays.fill(entries, unused);
    for (int s = 0; s < tables.length; s++) {
      System.arraycopy(tables[s], 0, entries, s * maxBlocks, Math.min(tables[s].length, maxBlocks));
    }
    return entries;
  }

  int mostBlocks() {
    return Arrays.stream(tables).mapToInt(table -> table.length).max().orElseThrow();
  }

  KvLayer upload(Gpu gpu) {
    return new KvLayer(
        gpu.floats(keys),
        gpu.floats(values),
        shape.blocks(),
        shape.kvHeads(),
        shape.blockSize(),
        shape.headDim());
  }

  BlockTables tables(Gpu gpu, int maxBlocks, int unused) {
    return new BlockTables(gpu.ints(entries(maxBlocks, unused)), tables.length, maxBlocks);
  }
}
