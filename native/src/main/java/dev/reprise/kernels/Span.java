package dev.reprise.kernels;

import dev.reprise.cuda.DeviceBuffer;

/**
 * A range of a device buffer. Of the buffer of a {@link dev.reprise.cuda.VirtualRange} it may be a
 * part that is not mapped yet: what a launch touches of it has to be by the time that it runs.
 *
 * @param buffer the buffer
 * @param offset bytes from its start
 * @param bytes length in bytes, at least 1
 */
public record Span(DeviceBuffer buffer, long offset, long bytes) {

  /** Checks that the range lies in the buffer. */
  public Span {
    if (offset < 0 || bytes < 1 || offset > buffer.reach() - bytes) {
      throw new IllegalArgumentException(
          "Bytes %d to %d are not a range of buffer '%s' of %d bytes."
              .formatted(offset, offset + bytes, buffer.label(), buffer.reach()));
    }
  }

  /** A whole buffer. */
  public static Span of(DeviceBuffer buffer) {
    return new Span(buffer, 0, buffer.size());
  }

  /** From an offset to the end of a buffer. */
  public static Span from(DeviceBuffer buffer, long offset) {
    return new Span(buffer, offset, buffer.size() - offset);
  }

  /** A part of this range. */
  public Span slice(long from, long length) {
    if (from < 0 || length < 1 || from > bytes - length) {
      throw new IllegalArgumentException(
          "Bytes %d to %d are not a part of a range of %d bytes of buffer '%s'."
              .formatted(from, from + length, bytes, buffer.label()));
    }
    return new Span(buffer, offset + from, length);
  }

  /** Device address of the first byte. */
  public long address() {
    return buffer.address() + offset;
  }

  /** Whether the two ranges share a byte. */
  public boolean overlaps(Span other) {
    return address() < other.address() + other.bytes && other.address() < address() + bytes;
  }
}
