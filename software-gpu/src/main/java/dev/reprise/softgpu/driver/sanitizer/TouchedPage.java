package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.sanitizer.Access.Kind;
import org.jspecify.annotations.Nullable;

/**
 * A piece of global memory as one launch sees it: which bytes it has read, written and updated, and
 * for each word its last store and the last loads of two warps.
 */
final class TouchedPage {

  static final int BITS = 12;
  static final int BYTES = 1 << BITS;
  private static final int WORDS = BYTES / Integer.BYTES;
  private static final @Nullable KernelAccess[] NONE = {};

  private final long base;

  /** For each kind one bit a byte; empty where there is none. */
  private final long[][] bits = {{}, {}, {}};

  /** Empty where there is none. */
  private @Nullable KernelAccess[] writes = NONE;

  /** Which bytes of a word were written. */
  private byte[] masks = {};

  private @Nullable KernelAccess[] reads = NONE;

  /** By another warp than that of {@link #reads}. */
  private @Nullable KernelAccess[] otherReads = NONE;

  TouchedPage(long number) {
    base = number << BITS;
  }

  /** Address of the first byte. */
  long base() {
    return base;
  }

  /** Bytes are accessed, given by their places in here. */
  void mark(Kind kind, int from, int until) {
    long[] of = bits[kind.ordinal()];
    if (of.length == 0) {
      of = new long[BYTES / Long.SIZE];
      bits[kind.ordinal()] = of;
    }
    int first = from / Long.SIZE;
    int last = (until - 1) / Long.SIZE;
    long head = -1L << from;
    long tail = -1L >>> -until;
    if (first == last) {
      of[first] |= head & tail;
      return;
    }
    of[first] |= head;
    for (int i = first + 1; i < last; i++) {
      of[i] = -1;
    }
    of[last] |= tail;
  }

  /** The first byte from a place on that was accessed so, or that was not. */
  int next(Kind kind, int from, boolean accessed) {
    long[] of = bits[kind.ordinal()];
    if (of.length == 0) {
      return accessed ? BYTES : from;
    }
    int at = from;
    while (at < BYTES) {
      long word = accessed ? of[at / Long.SIZE] : ~of[at / Long.SIZE];
      word >>>= at % Long.SIZE;
      if (word != 0) {
        return at + Long.numberOfTrailingZeros(word);
      }
      at = (at / Long.SIZE + 1) * Long.SIZE;
    }
    return BYTES;
  }

  /** Compares a load with what was stored, and remembers it where it takes whole words. */
  void read(KernelAccess now, int from, int until, GlobalWatch watch) {
    if (writes.length > 0) {
      for (int word = from >> 2; word <= until - 1 >> 2; word++) {
        compareWrite(now, word, mask(word, from, until), watch);
      }
    }
    if (reads.length == 0) {
      reads = new KernelAccess[WORDS];
    }
    for (int word = from + 3 >> 2; word < until >> 2; word++) {
      KernelAccess before = reads[word];
      if (before != null && !before.sameWarp(now)) {
        if (otherReads.length == 0) {
          otherReads = new KernelAccess[WORDS];
        }
        otherReads[word] = before;
      }
      reads[word] = now;
    }
  }

  /** Compares a store or an update with what was done before, and remembers it. */
  void write(KernelAccess now, int from, int until, GlobalWatch watch) {
    if (writes.length == 0) {
      writes = new KernelAccess[WORDS];
      masks = new byte[WORDS];
    }
    for (int word = from >> 2; word <= until - 1 >> 2; word++) {
      int mask = mask(word, from, until);
      compareWrite(now, word, mask, watch);
      compareRead(reads, now, word, watch);
      compareRead(otherReads, now, word, watch);
      KernelAccess before = writes[word];
      boolean joins = before != null && before.block() == now.block();
      masks[word] = (byte) (joins ? masks[word] | mask : mask);
      writes[word] = now;
    }
  }

  private void compareWrite(KernelAccess now, int word, int mask, GlobalWatch watch) {
    KernelAccess before = writes[word];
    if (before != null && (masks[word] & mask) != 0) {
      watch.compare(before, now, base + 4L * word);
    }
  }

  private void compareRead(
      @Nullable KernelAccess[] all, KernelAccess now, int word, GlobalWatch watch) {
    KernelAccess before = all.length == 0 ? null : all[word];
    if (before != null) {
      watch.compare(before, now, base + 4L * word);
    }
  }

  /** Which bytes of a word are between two places. */
  private static int mask(int word, int from, int until) {
    int low = Math.max(0, from - 4 * word);
    int high = Math.min(4, until - 4 * word);
    return (1 << high) - (1 << low);
  }
}
