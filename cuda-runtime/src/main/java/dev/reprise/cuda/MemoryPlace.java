package dev.reprise.cuda;

/**
 * Where an operation reads or writes.
 *
 * @param facade the buffer, kept reachable by a graph that captures the operation
 * @param handle its memory
 * @param offset bytes from its start
 */
record MemoryPlace(Object facade, RegionHandle handle, long offset) {

  static MemoryPlace of(DeviceBuffer buffer, long offset) {
    return new MemoryPlace(buffer, buffer.handle(), offset);
  }

  static MemoryPlace of(HostBuffer buffer, long offset) {
    return new MemoryPlace(buffer, buffer.handle(), offset);
  }

  long address() {
    return handle.address() + offset;
  }

  boolean onHost() {
    return facade instanceof HostBuffer;
  }

  /** Checks that a range from here on lies in the memory. */
  void checkRange(String operation, long bytes) {
    handle.checkRange(operation, offset, bytes);
  }

  /** Refuses memory of another device. */
  void checkDevice(Context context) {
    context.checkSame(handle.context(), handle.kind().typeName(), handle.label());
  }

  /** Whether {@code bytes} from here and {@code otherBytes} from there have a byte in common. */
  boolean overlaps(long bytes, MemoryPlace other, long otherBytes) {
    return address() < other.address() + otherBytes && other.address() < address() + bytes;
  }

  /** Refuses an address that is no multiple of the element's size. */
  void checkAligned(String operation, int elementBytes) {
    if (address() % elementBytes != 0) {
      throw new IllegalArgumentException(
          "%s: offset %d in buffer '%s' is not a multiple of %d."
              .formatted(operation, offset, handle.label(), elementBytes));
    }
  }
}
