package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.sanitizer.Access.Kind;
import org.jspecify.annotations.Nullable;

/**
 * A piece of global memory as one launch sees it: which bytes it has read, written and updated, for
 * each word its last store, and for each word and sector the last loads of two warps.
 */
final class TouchedPage {

  static final int BITS = 12;
  static final int BYTES = 1 << BITS;

  /** Bits of a place within a word, and within a sector of 32 bytes. */
  private static final int WORD = 2;

  private static final int SECTOR = 5;
  private static final int WORDS = BYTES >> WORD;
  private static final @Nullable KernelAccess[] NONE = {};

  private final long base;

  /** For each kind one bit a byte; empty where there is none. */
  private final long[][] bits = {{}, {}, {}};

  /** Empty where there is none. */
  private @Nullable KernelAccess[] writes = NONE;

  /** Which bytes of a word were written. */
  private byte[] masks = {};

  /** Those of single words. */
  private final Loads words = new Loads(WORD);

  /** Those of whole sectors, of which most loads take many. */
  private final Loads sectors = new Loads(SECTOR);

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
  void read(KernelAccess now, int from, int until, GlobalWatch.OfBlock watch) {
    if (writes.length > 0) {
      for (int word = from >> WORD; word <= until - 1 >> WORD; word++) {
        compareWrite(now, word, mask(word, from, until), watch);
      }
    }
    int first = upTo(from, SECTOR);
    int end = until >> SECTOR;
    if (first >= end) {
      words.note(now, upTo(from, WORD), until >> WORD);
      return;
    }
    sectors.note(now, first, end);
    if (from < first << SECTOR) {
      words.note(now, upTo(from, WORD), first << SECTOR - WORD);
    }
    if (end << SECTOR < until) {
      words.note(now, end << SECTOR - WORD, until >> WORD);
    }
  }

  /** The first piece of so many bits that begins at a place or behind it. */
  private static int upTo(int at, int bits) {
    return at + (1 << bits) - 1 >> bits;
  }

  /** Compares a store or an update with what was done before, and remembers it. */
  void write(KernelAccess now, int from, int until, GlobalWatch.OfBlock watch) {
    if (writes.length == 0) {
      writes = new KernelAccess[WORDS];
      masks = new byte[WORDS];
    }
    for (int word = from >> WORD; word <= until - 1 >> WORD; word++) {
      int mask = mask(word, from, until);
      compareWrite(now, word, mask, watch);
      words.compare(now, word, base + 4L * word, watch);
      sectors.compare(now, word >> SECTOR - WORD, base + 4L * word, watch);
      KernelAccess before = writes[word];
      boolean joins = before != null && before.block() == now.block();
      masks[word] = (byte) (joins ? masks[word] | mask : mask);
      writes[word] = now;
    }
  }

  private void compareWrite(KernelAccess now, int word, int mask, GlobalWatch.OfBlock watch) {
    KernelAccess before = writes[word];
    if (before != null && (masks[word] & mask) != 0) {
      watch.compare(before, now, base + 4L * word);
    }
  }

  /** Which bytes of a word are between two places. */
  private static int mask(int word, int from, int until) {
    int low = Math.max(0, from - 4 * word);
    int high = Math.min(4, until - 4 * word);
    return (1 << high) - (1 << low);
  }

  /** For each piece of one size the last load, and the last one before it by another warp. */
  private static final class Loads {
    private final int count;
    private @Nullable KernelAccess[] last = NONE;
    private @Nullable KernelAccess[] others = NONE;

    Loads(int bits) {
      count = BYTES >> bits;
    }

    /** Pieces from one to another are loaded. */
    void note(KernelAccess now, int from, int to) {
      if (last.length == 0) {
        last = new KernelAccess[count];
      }
      for (int piece = from; piece < to; piece++) {
        KernelAccess before = last[piece];
        if (before != null && !before.sameWarp(now)) {
          if (others.length == 0) {
            others = new KernelAccess[count];
          }
          others[piece] = before;
        }
        last[piece] = now;
      }
    }

    /** Compares a store with the loads of a piece. */
    void compare(KernelAccess now, int piece, long address, GlobalWatch.OfBlock watch) {
      if (last.length > 0) {
        KernelAccess before = last[piece];
        if (before != null) {
          watch.compare(before, now, address);
        }
      }
      if (others.length > 0) {
        KernelAccess before = others[piece];
        if (before != null) {
          watch.compare(before, now, address);
        }
      }
    }
  }
}
