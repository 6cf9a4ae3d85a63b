package dev.reprise.llama.tokenizer;

import java.util.Arrays;

/** A binary heap of longs, the smallest first. */
final class LongHeap {
  private long[] values = new long[64];
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  void add(long value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size * 2);
    }
    int at = size++;
    while (at > 0 && values[(at - 1) / 2] > value) {
      values[at] = values[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    values[at] = value;
  }

  /** Takes the smallest value out of a heap that is not empty. */
  long poll() {
    long smallest = values[0];
    long last = values[--size];
    int at = 0;
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && values[child + 1] < values[child]) {
        child++;
      }
      if (values[child] >= last) {
        break;
      }
      values[at] = values[child];
      at = child;
    }
    values[at] = last;
    return smallest;
  }
}
