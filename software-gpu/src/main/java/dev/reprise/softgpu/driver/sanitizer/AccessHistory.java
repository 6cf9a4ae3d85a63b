package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.sanitizer.Access.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * For each byte the last write, and the reads and atomic updates since then, so that an access
 * without an order to one of them is found, whichever ran first. Guarded by its owner.
 */
final class AccessHistory {

  /** Two accesses of the same bytes without an order. */
  interface Conflict {
    void found(Access earlier, Kind earlierKind, Access later, Kind laterKind, long at, long bytes);
  }

  private static final class Segment {
    private long end;
    private @Nullable Access write;

    /** What the last write was: a write, an allocation or a free. */
    private Kind writeKind = Kind.WRITE;

    private List<Access> reads = List.of();
    private List<Access> atomics = List.of();
    private List<Access> syncs = List.of();

    Segment(long end) {
      this.end = end;
    }

    Segment copy() {
      Segment copy = new Segment(end);
      copy.write = write;
      copy.writeKind = writeKind;
      copy.reads = reads;
      copy.atomics = atomics;
      copy.syncs = syncs;
      return copy;
    }
  }

  private final TreeMap<Long, Segment> segments = new TreeMap<>();
  private final Conflict conflict;

  AccessHistory(Conflict conflict) {
    this.conflict = conflict;
  }

  /** An operation accesses bytes. */
  void add(Access access, Kind kind, long start, long end) {
    split(start);
    split(end);
    long at = start;
    while (at < end) {
      Map.Entry<Long, Segment> entry = segments.ceilingEntry(at);
      long next = entry == null ? end : Math.min(end, entry.getKey());
      if (next > at) {
        Segment fresh = new Segment(next);
        note(fresh, access, kind);
        segments.put(at, fresh);
        at = next;
      } else {
        Segment segment = entry.getValue();
        check(segment, access, kind, at);
        note(segment, access, kind);
        at = segment.end;
      }
    }
    if (replaces(kind)) {
      segments.subMap(start, end).clear();
      Segment whole = new Segment(end);
      note(whole, access, kind);
      segments.put(start, whole);
    }
  }

  /** True when what was there before does not matter any more. */
  private static boolean replaces(Kind kind) {
    return kind == Kind.WRITE || kind == Kind.ALLOCATE || kind == Kind.FREE;
  }

  /** Nothing is known of these bytes any more. */
  void forget(long start, long end) {
    split(start);
    split(end);
    segments.subMap(start, end).clear();
  }

  private void split(long at) {
    Map.Entry<Long, Segment> entry = segments.lowerEntry(at);
    if (entry != null && entry.getValue().end > at) {
      Segment upper = entry.getValue().copy();
      entry.getValue().end = at;
      segments.put(at, upper);
    }
  }

  private void check(Segment segment, Access access, Kind kind, long at) {
    long bytes = segment.end - at;
    Access write = segment.write;
    boolean wholeLife = kind == Kind.ALLOCATE || kind == Kind.FREE;
    if (write != null
        && !access.after(write)
        && (kind != Kind.SYNC || segment.writeKind != Kind.WRITE)) {
      conflict.found(write, segment.writeKind, access, kind, at, bytes);
    }
    if (wholeLife) {
      check(segment.syncs, Kind.SYNC, access, kind, at, bytes);
    }
    if (kind == Kind.SYNC) {
      return;
    }
    if (kind != Kind.READ) {
      check(segment.reads, Kind.READ, access, kind, at, bytes);
    }
    if (kind != Kind.ATOMIC) {
      check(segment.atomics, Kind.ATOMIC, access, kind, at, bytes);
    }
  }

  private void check(
      List<Access> earlier, Kind earlierKind, Access access, Kind kind, long at, long bytes) {
    for (Access other : earlier) {
      if (!access.after(other)) {
        conflict.found(other, earlierKind, access, kind, at, bytes);
      }
    }
  }

  private static void note(Segment segment, Access access, Kind kind) {
    switch (kind) {
      case READ -> segment.reads = with(segment.reads, access);
      case ATOMIC -> segment.atomics = with(segment.atomics, access);
      case SYNC -> segment.syncs = with(segment.syncs, access);
      case WRITE, ALLOCATE, FREE -> {
        segment.write = access;
        segment.writeKind = kind;
        segment.reads = List.of();
        segment.atomics = List.of();
      }
    }
  }

  /** Those that come before the new one need not be kept: what has an order to it has to them. */
  private static List<Access> with(List<Access> old, Access access) {
    List<Access> all = new ArrayList<>();
    for (Access other : old) {
      if (!access.after(other)) {
        all.add(other);
      }
    }
    all.add(access);
    return all;
  }
}
