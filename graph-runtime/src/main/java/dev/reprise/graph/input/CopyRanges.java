package dev.reprise.graph.input;

/**
 * Ranges of the inputs that are to be copied, the same in the mirror, in a staging slot and on the
 * device. Used again and again, so that an upload allocates nothing on the Java heap.
 */
final class CopyRanges {

  private final long[] offsets;
  private final long[] bytes;
  private int count;

  /**
   * @param most how many ranges there can be at a time
   */
  CopyRanges(int most) {
    offsets = new long[most];
    bytes = new long[most];
  }

  void clear() {
    count = 0;
  }

  void add(long offset, long size) {
    offsets[count] = offset;
    bytes[count++] = size;
  }

  int count() {
    return count;
  }

  long offset(int range) {
    return offsets[range];
  }

  long bytes(int range) {
    return bytes[range];
  }

  /** Bytes of all ranges. */
  long totalBytes() {
    long total = 0;
    for (int i = 0; i < count; i++) {
      total += bytes[i];
    }
    return total;
  }
}
