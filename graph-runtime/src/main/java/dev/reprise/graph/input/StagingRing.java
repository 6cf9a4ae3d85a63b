package dev.reprise.graph.input;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Event;
import dev.reprise.cuda.PinnedBuffer;
import dev.reprise.cuda.Stream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Pinned slots through which captured inputs are written. Each slot is owned by an event: it cannot
 * be filled again before the copies out of it are done.
 *
 * <p>One thread at a time. Not allowed during a capture, since it waits for events.
 */
final class StagingRing implements AutoCloseable {

  private static final class Slot {
    final PinnedBuffer buffer;
    final Event copied;

    /** Whether copies may be under way that the event does not cover, because a call failed. */
    boolean uncovered;

    Slot(PinnedBuffer buffer, Event copied) {
      this.buffer = buffer;
      this.copied = copied;
    }
  }

  private final List<Slot> slots = new ArrayList<>();
  private final Consumer<Event> await;
  private int next;

  StagingRing(Device device, int slotCount, long bytes) {
    this(device, slotCount, bytes, Event::synchronize);
  }

  /**
   * @param await how a slot's copies are waited for; a test of the law breaks it
   */
  StagingRing(Device device, int slotCount, long bytes, Consumer<Event> await) {
    this.await = await;
    try {
      for (int i = 0; i < slotCount; i++) {
        PinnedBuffer buffer = device.allocatePinned("staging slot " + i, bytes);
        try {
          slots.add(new Slot(buffer, device.createEvent()));
        } catch (RuntimeException e) {
          buffer.close();
          throw e;
        }
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Copies ranges of {@code mirror} to the same places of {@code target} in stream order. The
   * mirror may be changed as soon as this returns.
   */
  void copy(Stream stream, MemorySegment mirror, CopyRanges ranges, DeviceBuffer target) {
    Slot slot = slots.get(next);
    next = (next + 1) % slots.size();
    if (slot.uncovered) {
      stream.synchronize();
      slot.uncovered = false;
    }
    await.accept(slot.copied);
    slot.uncovered = true;
    MemorySegment staged = slot.buffer.segment();
    for (int i = 0; i < ranges.count(); i++) {
      long offset = ranges.offset(i);
      MemorySegment.copy(mirror, offset, staged, offset, ranges.bytes(i));
      stream.copyToDevice(slot.buffer, offset, target, offset, ranges.bytes(i));
    }
    stream.record(slot.copied);
    slot.uncovered = false;
  }

  @Override
  public void close() {
    for (Slot slot : slots) {
      slot.copied.close();
      slot.buffer.close();
    }
    slots.clear();
  }
}
