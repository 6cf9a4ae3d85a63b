package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory that was allocated in the order of a stream, and is freed in the order of that stream:
 * behind its uses there without waiting for them, and once the uses on other streams are done.
 */
final class StreamOrderedMemoryHandle extends RegionHandle {

  private final StreamHandle stream;
  private final @Nullable MemoryPoolHandle pool;

  /**
   * The caller has retained the stream, and the pool if the program owns it.
   *
   * @param pool what it comes from; null for the default pool of the device
   */
  StreamOrderedMemoryHandle(
      String label, StreamHandle stream, @Nullable MemoryPoolHandle pool, long address, long size) {
    super(
        ResourceKind.DEVICE_BUFFER,
        label,
        stream.context(),
        pool == null ? List.of(stream) : List.of(stream, pool),
        address,
        size);
    this.stream = stream;
    this.pool = pool;
    destroyedInOrderOf(stream.clock());
  }

  /** What it comes from; null for the default pool of the device. */
  @Nullable MemoryPoolHandle pool() {
    return pool;
  }

  @Override
  protected void destroy() {
    // An operation that uses the memory may be being issued: the free comes behind it.
    stream.clock().lock();
    try {
      MemoryCalls.freeAsync(context(), label(), address(), size(), stream.value());
    } finally {
      stream.clock().unlock();
    }
  }
}
