package dev.reprise.cuda;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The graph memory that one capture allocates or frees: refuses uses that do not come after the
 * allocation and before the free. Used by the capturing thread only.
 */
final class CaptureMemory {

  /** From its allocation on. */
  private static final class Life {
    final Stream stream;
    final CaptureOrder.Position allocated;
    final Map<Stream, CaptureOrder.Position> uses = new IdentityHashMap<>();
    boolean freed;

    Life(Stream stream, CaptureOrder.Position allocated) {
      this.stream = stream;
      this.allocated = allocated;
    }
  }

  private final CaptureOrder order;
  private final Map<GraphMemoryHandle, Life> own = new IdentityHashMap<>();

  /** Memory of other graphs that the capture frees. */
  private final List<GraphMemoryHandle> foreign = new ArrayList<>();

  CaptureMemory(CaptureOrder order) {
    this.order = order;
  }

  /** Notes an allocation by the last operation of a stream. */
  void allocated(GraphMemoryHandle memory, Stream stream) {
    own.put(memory, new Life(stream, order.position(stream)));
  }

  /** Checks and notes a use by the last operation of a stream. */
  void use(GraphMemoryHandle memory, Stream stream) {
    check(memory, stream);
    Life life = own.get(memory);
    if (life != null) {
      life.uses.put(stream, order.position(stream));
    }
  }

  private void check(GraphMemoryHandle memory, Stream stream) {
    Life life = own.get(memory);
    if (life == null ? foreign.contains(memory) : life.freed) {
      throw new IllegalStateException(
          "DeviceBuffer '%s' was freed earlier in this capture.".formatted(memory.label()));
    }
    if (life != null && !order.precedes(life.allocated, stream)) {
      throw new IllegalStateException(
          "Stream '%s' cannot use DeviceBuffer '%s': it does not wait for the allocation on stream '%s'. Fork it after the allocation, or join the streams first."
              .formatted(stream.label(), memory.label(), life.stream.label()));
    }
  }

  /** Refuses a free by the last operation of a stream that does not come after all uses. */
  void checkFree(GraphMemoryHandle memory, Stream stream) {
    check(memory, stream);
    Life life = own.get(memory);
    if (life == null) {
      return;
    }
    life.uses.forEach((user, position) -> {
      if (!order.precedes(position, stream)) {
        throw new IllegalStateException(
            "DeviceBuffer '%s' cannot be freed on stream '%s', which does not wait for its use on stream '%s'. Join that stream first."
                .formatted(memory.label(), stream.label(), user.label()));
      }
    });
  }

  /** Notes a free. */
  void freed(GraphMemoryHandle memory) {
    Life life = own.get(memory);
    if (life == null) {
      foreign.add(memory);
    } else {
      life.freed = true;
      memory.freedInside();
    }
  }

  /** Frees on the stream of the allocation what is not freed yet. */
  void freeOnItsStream(GraphMemoryHandle memory) {
    Life life = own.get(memory);
    if (life != null && !life.freed) {
      life.stream.free(memory.buffer());
    }
  }

  /** Closes the buffers; the capture failed. */
  void close() {
    own.keySet().forEach(GraphMemoryHandle::closeWithGraph);
  }
}
