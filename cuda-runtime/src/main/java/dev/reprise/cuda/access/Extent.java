package dev.reprise.cuda.access;

import java.util.ArrayList;
import java.util.List;

/**
 * Bytes of a region: all from {@code from} to {@code to}, or of these only those of rows, when
 * {@code pitch} is not 0.
 *
 * @param from the first byte
 * @param to the byte behind the last
 * @param start where a row starts; the others are multiples of the pitch away
 * @param pitch bytes from one row to the next; 0 for bytes without a gap
 * @param width bytes of a row
 */
public record Extent(long from, long to, long start, long pitch, long width) {

  /** Rows up to which two boxes of unlike pitch are compared row by row; beyond, they overlap. */
  private static final long ROWS = 1 << 16;

  /** Bytes without a gap. */
  public static Extent of(long from, long bytes) {
    return new Extent(from, from + bytes, 0, 0, 0);
  }

  /** Rows of bytes. */
  public static Extent rows(long from, long pitch, long width, long rows) {
    return rows == 1 || pitch == width
        ? of(from, width * rows)
        : new Extent(from, from + (rows - 1) * pitch + width, from, pitch, width);
  }

  boolean isEmpty() {
    return from >= to;
  }

  boolean isSolid() {
    return pitch == 0;
  }

  /** Whether a byte is in both. */
  boolean overlaps(Extent other) {
    long low = Math.max(from, other.from);
    long high = Math.min(to, other.to);
    if (low >= high) {
      return false;
    }
    if (isSolid() && other.isSolid()) {
      return true;
    }
    if (isSolid()) {
      return other.touches(low, high);
    }
    if (other.isSolid()) {
      return touches(low, high);
    }
    if (pitch == other.pitch) {
      // Rows at one distance: as one pair of rows, so all, but for what is cut off at the ends.
      long apart = Math.floorMod(other.start - start, pitch);
      if (apart >= width && pitch - apart >= other.width) {
        return false;
      }
    }
    Extent few = (to - from) / pitch <= (other.to - other.from) / other.pitch ? this : other;
    Extent many = few == this ? other : this;
    long first = low - Math.floorMod(low - few.start, few.pitch);
    if ((high - first) / few.pitch > ROWS) {
      return true;
    }
    for (long row = first; row < high; row += few.pitch) {
      if (many.touches(Math.max(row, low), Math.min(row + few.width, high))) {
        return true;
      }
    }
    return false;
  }

  /** Whether a row has a byte of a range that lies between from and to. */
  private boolean touches(long low, long high) {
    if (low >= high) {
      return false;
    }
    long into = Math.floorMod(low - start, pitch);
    return into < width || low + (pitch - into) < high;
  }

  /** Whether every byte of another is in this one; may be false where that is hard to tell. */
  boolean contains(Extent other) {
    return isSolid()
        ? from <= other.from && other.to <= to
        : from <= other.from
            && other.to <= to
            && pitch == other.pitch
            && width == other.width
            && Math.floorMod(other.start - start, pitch) == 0;
  }

  /** What is left without another; all of it where that is hard to tell. */
  List<Extent> minus(Extent other) {
    if (other.contains(this)) {
      return List.of();
    }
    if (!other.isSolid() || other.to <= from || to <= other.from) {
      return List.of(this);
    }
    List<Extent> left = new ArrayList<>(2);
    if (from < other.from) {
      left.add(new Extent(from, other.from, start, pitch, width));
    }
    if (other.to < to) {
      left.add(new Extent(other.to, to, start, pitch, width));
    }
    return left;
  }
}
