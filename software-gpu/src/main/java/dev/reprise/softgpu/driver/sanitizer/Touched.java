package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.sanitizer.Access.Kind;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The bytes of global memory that one launch has read, written and updated. */
final class Touched {

  private static final int BITS = 12;
  private static final int PAGE = 1 << BITS;

  /** Takes ranges in ascending order. */
  interface Ranges {
    void accept(Kind kind, long start, long end);
  }

  private static final class Page {
    private final long[][] bits = new long[3][PAGE / Long.SIZE];
  }

  private final TreeMap<Long, Page> pages = new TreeMap<>();
  private long lastNumber = -1;
  private @Nullable Page last;

  /** A lane accesses bytes, at an address that is aligned to their number. */
  void mark(Kind kind, long address, int bytes) {
    long number = address >>> BITS;
    Page page = last;
    if (number != lastNumber || page == null) {
      page = pages.computeIfAbsent(number, n -> new Page());
      last = page;
      lastNumber = number;
    }
    int at = (int) (address & PAGE - 1);
    long mask = (bytes >= Long.SIZE ? -1L : (1L << bytes) - 1) << (at % Long.SIZE);
    page.bits[kind.ordinal()][at / Long.SIZE] |= mask;
  }

  /** Gives what was marked. */
  void forEach(Ranges ranges) {
    for (Kind kind : new Kind[] {Kind.READ, Kind.ATOMIC, Kind.WRITE}) {
      long start = -1;
      long end = -1;
      for (Map.Entry<Long, Page> entry : pages.entrySet()) {
        long base = entry.getKey() << BITS;
        long[] bits = entry.getValue().bits[kind.ordinal()];
        for (int at = next(bits, 0, true); at < PAGE; ) {
          int until = next(bits, at, false);
          if (start >= 0 && base + at != end) {
            ranges.accept(kind, start, end);
            start = -1;
          }
          start = start < 0 ? base + at : start;
          end = base + until;
          at = next(bits, until, true);
        }
      }
      if (start >= 0) {
        ranges.accept(kind, start, end);
      }
    }
  }

  /** The first bit from a place on that is set, or that is not. */
  private static int next(long[] bits, int from, boolean set) {
    int at = from;
    while (at < PAGE) {
      long word = set ? bits[at / Long.SIZE] : ~bits[at / Long.SIZE];
      word >>>= at % Long.SIZE;
      if (word != 0) {
        return at + Long.numberOfTrailingZeros(word);
      }
      at = (at / Long.SIZE + 1) * Long.SIZE;
    }
    return PAGE;
  }
}
