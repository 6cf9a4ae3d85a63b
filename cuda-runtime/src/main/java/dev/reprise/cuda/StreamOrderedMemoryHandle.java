package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.HandleNode;
import java.util.List;

/**
 * Memory that was allocated in the order of a stream, and is freed in the order of that stream:
 * behind its uses there without waiting for them, and once the uses on other streams are done.
 */
final class StreamOrderedMemoryHandle extends RegionHandle {

  private final StreamHandle stream;

  /** The caller has retained the stream, and the pool if the program owns it. */
  StreamOrderedMemoryHandle(
      String label,
      StreamHandle stream,
      List<? extends HandleNode> retainedParents,
      long address,
      long size) {
    super(ResourceKind.DEVICE_BUFFER, label, stream.context(), retainedParents, address, size);
    this.stream = stream;
    destroyedInOrderOf(stream.clock());
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
