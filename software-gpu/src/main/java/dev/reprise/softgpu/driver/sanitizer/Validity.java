package dev.reprise.softgpu.driver.sanitizer;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Which bytes of device memory something has written. Memory that is not tracked counts as written.
 * Thread-safe as far as the accesses of the program are ordered.
 */
final class Validity {

  private static final int PAGE = 4096;

  /** A page all of whose bytes are written. */
  private static final byte[] ALL = new byte[0];

  private static final byte[] ONES = ones();

  private static byte[] ones() {
    byte[] ones = new byte[PAGE];
    Arrays.fill(ones, (byte) 1);
    return ones;
  }

  /** Which bytes of one allocation are written. */
  static final class Shadow {
    private final long base;
    private final long size;

    /** Null where no byte is written. */
    private final byte[] @Nullable [] pages;

    private Shadow(long base, long size) {
      this.base = base;
      this.size = size;
      this.pages = new byte[Math.toIntExact((size + PAGE - 1) / PAGE)][];
    }

    boolean contains(long address) {
      return address - base >= 0 && address - base < size;
    }

    /** Bytes from one address to another are written; what is beyond the allocation is not. */
    void write(long from, long to) {
      long at = from - base;
      long end = Math.min(size, to - base);
      while (at < end) {
        int page = (int) (at / PAGE);
        int first = (int) (at % PAGE);
        int until = (int) Math.min(PAGE, first + end - at);
        set(page, first, until);
        at += until - first;
      }
    }

    private void set(int page, int from, int until) {
      byte[] bytes = pages[page];
      if (bytes == ALL) {
        return;
      }
      long inPage = Math.min(PAGE, size - (long) page * PAGE);
      if (from == 0 && until >= inPage) {
        pages[page] = ALL;
        return;
      }
      if (bytes == null) {
        bytes = new byte[PAGE];
        pages[page] = bytes;
      }
      Arrays.fill(bytes, from, until, (byte) 1);
    }

    /** The address of the first byte between two that is not written, or -1. */
    long firstUnwritten(long from, long to) {
      long at = from - base;
      long end = Math.min(size, to - base);
      while (at < end) {
        byte[] page = pages[(int) (at / PAGE)];
        int first = (int) (at % PAGE);
        int until = (int) Math.min(PAGE, first + end - at);
        if (page == null) {
          return base + at;
        }
        if (page != ALL) {
          int unwritten = Arrays.mismatch(page, first, until, ONES, 0, until - first);
          if (unwritten >= 0) {
            return base + at + unwritten;
          }
        }
        at += until - first;
      }
      return -1;
    }

    private byte get(long at) {
      byte[] page = pages[(int) (at / PAGE)];
      return page == ALL ? 1 : page == null ? 0 : page[(int) (at % PAGE)];
    }

    private void put(long at, byte value) {
      int number = (int) (at / PAGE);
      byte[] page = pages[number];
      if (page == ALL || page == null) {
        byte[] bytes = new byte[PAGE];
        Arrays.fill(bytes, page == null ? (byte) 0 : 1);
        pages[number] = bytes;
        page = bytes;
      }
      page[(int) (at % PAGE)] = value;
    }
  }

  private final ConcurrentSkipListMap<Long, Shadow> shadows = new ConcurrentSkipListMap<>();

  /** Nothing of this memory is written. */
  void track(long base, long size) {
    shadows.put(base, new Shadow(base, size));
  }

  void forget(long base) {
    shadows.remove(base);
  }

  /** The allocation that an address is in; null where all counts as written. */
  @Nullable Shadow find(long address) {
    Map.Entry<Long, Shadow> entry = shadows.floorEntry(address);
    if (entry == null) {
      return null;
    }
    Shadow shadow = entry.getValue();
    return shadow.contains(address) ? shadow : null;
  }

  /** Bytes are written. */
  void write(long address, long bytes) {
    Shadow shadow = find(address);
    if (shadow != null) {
      shadow.write(address, address + bytes);
    }
  }

  /** The address of the first byte that is not written, or -1. */
  long firstUnwritten(long address, long bytes) {
    Shadow shadow = find(address);
    return shadow == null ? -1 : shadow.firstUnwritten(address, address + bytes);
  }

  /** What is written at the source is written at the target, and nothing else there. */
  void copy(long to, long from, long bytes) {
    Shadow target = find(to);
    if (target == null) {
      return;
    }
    Shadow source = find(from);
    if (source == null || source.firstUnwritten(from, from + bytes) < 0) {
      target.write(to, to + bytes);
      return;
    }
    long end =
        Math.min(bytes, Math.min(source.base + source.size - from, target.base + target.size - to));
    byte[] copied = new byte[Math.toIntExact(end)];
    for (int i = 0; i < copied.length; i++) {
      copied[i] = source.get(from - source.base + i);
    }
    for (int i = 0; i < copied.length; i++) {
      target.put(to - target.base + i, copied[i]);
    }
  }
}
