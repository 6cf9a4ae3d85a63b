package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.sanitizer.Access.Kind;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The bytes of global memory that one launch has read, written and updated. */
final class Touched {

  private static final int RECENT = 64;

  /** Takes ranges in ascending order. */
  interface Ranges {
    void accept(Kind kind, long start, long end);
  }

  private final Map<Long, TouchedPage> pages = new HashMap<>();

  /** The page that was last asked for of those whose number has these low bits. */
  private final @Nullable TouchedPage[] recent = new TouchedPage[RECENT];

  /** The page that an address is on. */
  TouchedPage page(long address) {
    long number = address >>> TouchedPage.BITS;
    int slot = (int) number & RECENT - 1;
    TouchedPage page = recent[slot];
    if (page == null || page.base() != number << TouchedPage.BITS) {
      page = pages.computeIfAbsent(number, TouchedPage::new);
      recent[slot] = page;
    }
    return page;
  }

  /** Gives what was marked. */
  void forEach(Ranges ranges) {
    TouchedPage[] sorted =
        pages.values().stream()
            .sorted((a, b) -> Long.compare(a.base(), b.base()))
            .toArray(TouchedPage[]::new);
    for (Kind kind : new Kind[] {Kind.READ, Kind.ATOMIC, Kind.WRITE}) {
      forEach(kind, sorted, ranges);
    }
  }

  private static void forEach(Kind kind, TouchedPage[] sorted, Ranges ranges) {
    long start = -1;
    long end = -1;
    for (TouchedPage page : sorted) {
      for (int at = page.next(kind, 0, true); at < TouchedPage.BYTES; ) {
        int until = page.next(kind, at, false);
        if (start >= 0 && page.base() + at != end) {
          ranges.accept(kind, start, end);
          start = -1;
        }
        start = start < 0 ? page.base() + at : start;
        end = page.base() + until;
        at = page.next(kind, until, true);
      }
    }
    if (start >= 0) {
      ranges.accept(kind, start, end);
    }
  }
}
