package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Reserved addresses and the memory that is mapped to their beginning, in pieces. */
final class VirtualRangeHandle extends RegionHandle {

  private final DeviceHandle device;
  private final long granularity;
  private final long reserved;

  /** The sizes of the pieces, the last one first. */
  private final ArrayDeque<Long> pieces = new ArrayDeque<>();

  VirtualRangeHandle(
      String label, DeviceHandle device, long address, long reserved, long granularity) {
    super(ResourceKind.VIRTUAL_RANGE, label, device, address, 0);
    this.device = device;
    this.reserved = reserved;
    this.granularity = granularity;
  }

  long granularity() {
    return granularity;
  }

  long reserved() {
    return reserved;
  }

  /** Maps a piece behind those there are; a failure changes nothing. */
  synchronized void add(long bytes) {
    long at = address() + size();
    Context context = context();
    long memory = VirtualMemoryCalls.create(context, device.device(), label(), bytes);
    RuntimeException failure = null;
    try {
      VirtualMemoryCalls.map(context, label(), at, bytes, memory);
      try {
        VirtualMemoryCalls.allowAccess(context, device.device(), label(), at, bytes);
      } catch (RuntimeException e) {
        failure = e;
        VirtualMemoryCalls.unmap(context, label(), at, bytes);
      }
    } catch (RuntimeException e) {
      failure = withSuppressed(failure, e);
    }
    try {
      // The mapping keeps the memory from now on; after a failure nothing does.
      VirtualMemoryCalls.release(context, label(), memory);
    } catch (RuntimeException e) {
      failure = withSuppressed(failure, e);
    }
    if (failure != null) {
      throw failure;
    }
    pieces.push(bytes);
    resize(size() + bytes);
  }

  private static RuntimeException withSuppressed(
      @Nullable RuntimeException failure, RuntimeException later) {
    if (failure == null) {
      return later;
    }
    failure.addSuppressed(later);
    return failure;
  }

  /** The bytes of the pieces that lie behind {@code keep} as a whole. */
  synchronized long behind(long keep) {
    long bytes = 0;
    for (long piece : pieces) {
      if (size() - bytes - piece < keep) {
        break;
      }
      bytes += piece;
    }
    return bytes;
  }

  /** Unmaps the last pieces, of which nothing is in use. */
  synchronized void remove(long bytes) {
    long left = bytes;
    while (left > 0) {
      long piece = pieces.element();
      VirtualMemoryCalls.unmap(context(), label(), address() + size() - piece, piece);
      pieces.pop();
      resize(size() - piece);
      left -= piece;
    }
  }

  @Override
  long reach() {
    return reserved();
  }

  @Override
  protected void destroy() {
    try {
      remove(size());
    } finally {
      VirtualMemoryCalls.free(context(), label(), address(), reserved);
    }
  }
}
