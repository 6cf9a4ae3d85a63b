package dev.reprise.cuda;

import dev.reprise.cuda.access.Extent;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of memory at equal distances, and slices of such rows, as one side of {@link Stream#copy2D}
 * and {@link Stream#copy3D}.
 *
 * <p>Byte {@code x} of row {@code y} of slice {@code z} is at {@code offset + (z × rowsPerSlice +
 * y) × pitch + x} of the buffer. Immutable; it names the buffer and does not keep it open. See CUDA
 * Driver API, "Memory Management", {@code CUDA_MEMCPY3D}.
 */
public final class PitchedMemory {

  /** Slices that the check of accesses tells apart. */
  private static final long SLICES = 256;

  private final MemoryPlace place;
  private final long pitch;
  private final long rowsPerSlice;

  private PitchedMemory(MemoryPlace place, long pitch, long rowsPerSlice) {
    if (pitch < 1 || rowsPerSlice < 0) {
      throw new IllegalArgumentException(
          "Buffer '%s' cannot have rows %d bytes apart and %d of them in a slice."
              .formatted(place.handle().label(), pitch, rowsPerSlice));
    }
    this.place = place;
    this.pitch = pitch;
    this.rowsPerSlice = rowsPerSlice;
  }

  /**
   * Rows of device memory.
   *
   * @param offset where the first row starts, in bytes
   * @param pitch bytes from one row to the next
   */
  public static PitchedMemory of(DeviceBuffer buffer, long offset, long pitch) {
    return of(buffer, offset, pitch, 0);
  }

  /**
   * Slices of rows of device memory.
   *
   * @param rowsPerSlice rows from one slice to the next
   */
  public static PitchedMemory of(DeviceBuffer buffer, long offset, long pitch, long rowsPerSlice) {
    return new PitchedMemory(MemoryPlace.of(buffer, offset), pitch, rowsPerSlice);
  }

  /**
   * Rows of page-locked host memory.
   *
   * @param offset where the first row starts, in bytes
   * @param pitch bytes from one row to the next
   */
  public static PitchedMemory of(HostBuffer buffer, long offset, long pitch) {
    return of(buffer, offset, pitch, 0);
  }

  /**
   * Slices of rows of page-locked host memory.
   *
   * @param rowsPerSlice rows from one slice to the next
   */
  public static PitchedMemory of(HostBuffer buffer, long offset, long pitch, long rowsPerSlice) {
    return new PitchedMemory(MemoryPlace.of(buffer, offset), pitch, rowsPerSlice);
  }

  MemoryPlace place() {
    return place;
  }

  long pitch() {
    return pitch;
  }

  long rowsPerSlice() {
    return rowsPerSlice;
  }

  /** Checks that a box lies in the memory, and gives how many bytes it spans. */
  long checkBox(String operation, long rowBytes, long rows, long slices) {
    if (rowBytes < 0 || rows < 0 || slices < 0) {
      throw new IllegalArgumentException(
          "%s: %d slices of %d rows of %d bytes cannot be."
              .formatted(operation, slices, rows, rowBytes));
    }
    if (rowBytes == 0 || rows == 0 || slices == 0) {
      return 0;
    }
    if ((rows > 1 || slices > 1) && pitch < rowBytes) {
      throw new IllegalArgumentException(
          "%s: rows of %d bytes do not fit into a pitch of %d in buffer '%s'."
              .formatted(operation, rowBytes, pitch, place.handle().label()));
    }
    if (slices > 1 && rowsPerSlice < rows) {
      throw new IllegalArgumentException(
          "%s: slices of %d rows do not fit into %d rows in buffer '%s'."
              .formatted(operation, rows, rowsPerSlice, place.handle().label()));
    }
    long span;
    try {
      long lastRow = Math.addExact(Math.multiplyExact(slices - 1, rowsPerSlice), rows - 1);
      span = Math.addExact(Math.multiplyExact(lastRow, pitch), rowBytes);
    } catch (ArithmeticException e) {
      throw new IndexOutOfBoundsException(
          "%s: %d slices of %d rows of pitch %d are outside buffer '%s' of %d bytes."
              .formatted(
                  operation, slices, rows, pitch, place.handle().label(), place.handle().size()));
    }
    place.checkRange(operation, span);
    return span;
  }

  /** The bytes of a box, for the check of accesses; of very many slices, what they span. */
  List<Extent> extents(long rowBytes, long rows, long slices) {
    long from = place.offset();
    if (slices == 1 || rowsPerSlice == rows) {
      return List.of(Extent.rows(from, pitch, rowBytes, rows * slices));
    }
    long apart = rowsPerSlice * pitch;
    if (slices > SLICES) {
      return List.of(Extent.of(from, (slices - 1) * apart + (rows - 1) * pitch + rowBytes));
    }
    List<Extent> extents = new ArrayList<>();
    for (long slice = 0; slice < slices; slice++) {
      extents.add(Extent.rows(from + slice * apart, pitch, rowBytes, rows));
    }
    return extents;
  }

  /**
   * Whether two boxes may share bytes: their spans meet, and they are not different columns of rows
   * of one pitch.
   */
  boolean overlaps(long span, PitchedMemory other, long otherSpan, long rowBytes) {
    if (!place.overlaps(span, other.place, otherSpan)) {
      return false;
    }
    long distance = Math.floorMod(other.place.address() - place.address(), pitch);
    boolean otherColumns =
        pitch == other.pitch && distance >= rowBytes && pitch - distance >= rowBytes;
    return !otherColumns;
  }
}
