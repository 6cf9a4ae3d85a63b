package dev.reprise.softgpu.engine.exec;

import java.util.Arrays;

/** Callers of one lane: their registers, frames and return addresses. */
final class CallStack {
  private static final int DEEPEST = 10_000;

  private long[] values = new long[64];
  private int size;
  private int depth;

  boolean full() {
    return depth == DEEPEST;
  }

  int depth() {
    return depth;
  }

  void begin() {
    depth++;
  }

  void end() {
    depth--;
  }

  void push(long v) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = v;
  }

  long pop() {
    return values[--size];
  }

  void clear() {
    size = 0;
    depth = 0;
  }
}
