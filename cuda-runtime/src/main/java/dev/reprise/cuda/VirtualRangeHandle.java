package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/** Reserved addresses and the memory that is mapped to their beginning, in pieces. */
final class VirtualRangeHandle extends RegionHandle {

  private final DeviceHandle device;
  private final long granularity;
  private final long reserved;

  /** The sizes of the pieces, the last one first. */
  private final ArrayDeque<Long> pieces = new ArrayDeque<>();

  /** The driver's numbers of other devices that can access it; guarded by this. */
  private final Set<Integer> readers = new HashSet<>();

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
    try {
      map(at, bytes, memory);
    } catch (RuntimeException e) {
      Cleanup.after(e, () -> VirtualMemoryCalls.release(context, label(), memory));
      throw e;
    }
    try {
      // The mapping keeps the memory from now on.
      VirtualMemoryCalls.release(context, label(), memory);
    } catch (RuntimeException e) {
      Cleanup.after(e, () -> VirtualMemoryCalls.unmap(context, label(), at, bytes));
      // What failed may have been the way to the call.
      Cleanup.after(e, () -> VirtualMemoryCalls.release(context, label(), memory));
      throw e;
    }
    pieces.push(bytes);
    resize(size() + bytes);
  }

  private void map(long at, long bytes, long memory) {
    VirtualMemoryCalls.map(context(), label(), at, bytes, memory);
    try {
      VirtualMemoryCalls.setAccess(context(), device.device(), label(), at, bytes, true);
      for (int reader : readers) {
        VirtualMemoryCalls.setAccess(context(), reader, label(), at, bytes, true);
      }
    } catch (RuntimeException e) {
      Cleanup.after(e, () -> VirtualMemoryCalls.unmap(context(), label(), at, bytes));
      throw e;
    }
  }

  /** Lets another device access what is mapped and what will be, or no longer. */
  synchronized void setAccess(int reader, boolean open) {
    if (size() > 0) {
      VirtualMemoryCalls.setAccess(context(), reader, label(), address(), size(), open);
    }
    if (open) {
      readers.add(reader);
    } else {
      readers.remove(reader);
    }
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
    RuntimeException failure = null;
    long end = address() + size();
    for (long piece : pieces) {
      long at = end - piece;
      failure =
          Cleanup.attempt(failure, () -> VirtualMemoryCalls.unmap(context(), label(), at, piece));
      end = at;
    }
    pieces.clear();
    failure =
        Cleanup.attempt(
            failure, () -> VirtualMemoryCalls.free(context(), label(), address(), reserved));
    if (failure != null) {
      throw failure;
    }
  }
}
