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

  private static final class Shadow {
    private final long base;
    private final long size;

    /** Null where no byte is written. */
    private final byte[] @Nullable [] pages;

    Shadow(long base, long size) {
      this.base = base;
      this.size = size;
      this.pages = new byte[Math.toIntExact((size + PAGE - 1) / PAGE)][];
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

  private @Nullable Shadow find(long address) {
    Map.Entry<Long, Shadow> entry = shadows.floorEntry(address);
    if (entry == null) {
      return null;
    }
    Shadow shadow = entry.getValue();
    return address - shadow.base < shadow.size ? shadow : null;
  }

  /** Bytes are written. */
  void write(long address, long bytes) {
    Shadow shadow = find(address);
    if (shadow == null) {
      return;
    }
    long at = address - shadow.base;
    long end = Math.min(shadow.size, at + bytes);
    while (at < end) {
      int page = (int) (at / PAGE);
      int from = (int) (at % PAGE);
      int until = (int) Math.min(PAGE, from + end - at);
      set(shadow, page, from, until);
      at += until - from;
    }
  }

  private static void set(Shadow shadow, int page, int from, int until) {
    byte[] bytes = shadow.pages[page];
    if (bytes == ALL) {
      return;
    }
    long inPage = Math.min(PAGE, shadow.size - (long) page * PAGE);
    if (from == 0 && until >= inPage) {
      shadow.pages[page] = ALL;
      return;
    }
    if (bytes == null) {
      bytes = new byte[PAGE];
      shadow.pages[page] = bytes;
    }
    Arrays.fill(bytes, from, until, (byte) 1);
  }

  /** The address of the first byte that is not written, or -1. */
  long firstUnwritten(long address, long bytes) {
    Shadow shadow = find(address);
    if (shadow == null) {
      return -1;
    }
    long end = Math.min(shadow.size, address - shadow.base + bytes);
    for (long at = address - shadow.base; at < end; at++) {
      byte[] page = shadow.pages[(int) (at / PAGE)];
      if (page == ALL) {
        at = (at / PAGE + 1) * PAGE - 1;
      } else if (page == null || page[(int) (at % PAGE)] == 0) {
        return shadow.base + at;
      }
    }
    return -1;
  }

  /** What is written at the source is written at the target, and nothing else there. */
  void copy(long to, long from, long bytes) {
    Shadow target = find(to);
    if (target == null) {
      return;
    }
    Shadow source = find(from);
    if (source == null || firstUnwritten(from, bytes) < 0) {
      write(to, bytes);
      return;
    }
    long end =
        Math.min(bytes, Math.min(source.base + source.size - from, target.base + target.size - to));
    byte[] copied = new byte[Math.toIntExact(end)];
    for (int i = 0; i < copied.length; i++) {
      copied[i] = get(source, from - source.base + i);
    }
    for (int i = 0; i < copied.length; i++) {
      put(target, to - target.base + i, copied[i]);
    }
  }

  private static byte get(Shadow shadow, long at) {
    byte[] page = shadow.pages[(int) (at / PAGE)];
    return page == ALL ? 1 : page == null ? 0 : page[(int) (at % PAGE)];
  }

  private static void put(Shadow shadow, long at, byte value) {
    int number = (int) (at / PAGE);
    byte[] page = shadow.pages[number];
    if (page == ALL || page == null) {
      byte[] bytes = new byte[PAGE];
      Arrays.fill(bytes, page == null ? (byte) 0 : 1);
      shadow.pages[number] = bytes;
      page = bytes;
    }
    page[(int) (at % PAGE)] = value;
  }
}
