package dev.reprise.cuda;

import dev.reprise.cuda.access.Clock;
import dev.reprise.cuda.access.StreamAccess;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The order of the uses of one buffer, on whatever streams, see {@link
 * BufferOptions#automaticOrder}: an event behind the last write and behind each stream's last read
 * since, which later uses on other streams wait for.
 *
 * <p>A use takes a {@link Turn}: it holds the lock while its operation is issued, so that no use
 * comes between its waits and its event. The lock is taken behind that of the stream's clock.
 */
final class AutomaticOrder {

  private static final AtomicLong IDS = new AtomicLong();

  /** An event of the context of a device, which is kept for it if it is not the buffer's own. */
  private record Mark(MemorySegment event, DeviceHandle device) {}

  /**
   * The last use of a kind by a stream.
   *
   * @param mark the event behind it; null if the driver refused to record it
   * @param point what precedes that event, while accesses are checked
   * @param followers streams that wait for it already
   */
  private record Use(
      StreamHandle stream,
      @Nullable Mark mark,
      @Nullable Clock point,
      Set<StreamHandle> followers) {}

  /** Says in which order the locks of several are taken. */
  private final long id = IDS.incrementAndGet();

  private final Context context;
  private final String label;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Mark> spare = new ArrayDeque<>();
  private final List<Use> reads = new ArrayList<>();
  private @Nullable Use write;

  AutomaticOrder(Context context, String label) {
    this.context = context;
    this.label = label;
  }

  long id() {
    return id;
  }

  String label() {
    return label;
  }

  /** Begins a use by an operation that is about to be issued; waits for uses being issued. */
  Turn turn(StreamHandle stream, Access access) {
    lock.lock();
    return new Turn(stream, access);
  }

  /** Destroys the events; nothing uses the buffer any more. */
  void destroy() {
    lock.lock();
    try {
      if (write != null) {
        giveBack(write);
        write = null;
      }
      reads.forEach(this::giveBack);
      reads.clear();
      Cleanup.all(
          spare.stream()
              .map(mark -> (Cleanup.Step) () -> destroy(mark))
              .toArray(Cleanup.Step[]::new));
      spare.clear();
    } finally {
      lock.unlock();
    }
  }

  private void destroy(Mark mark) {
    try {
      EventCalls.destroy(mark.device().context(), mark.event());
    } finally {
      if (isForeign(mark.device())) {
        mark.device().release();
      }
    }
  }

  private boolean isForeign(DeviceHandle device) {
    return device.context().ordinal() != context.ordinal();
  }

  private void giveBack(Use use) {
    if (use.mark() != null) {
      spare.add(use.mark());
    }
  }

  /** An event that a stream of a device can record; waits for its last record are not disturbed. */
  private Mark mark(DeviceHandle device) {
    for (Mark mark : spare) {
      if (mark.device().context().ordinal() == device.context().ordinal()) {
        spare.remove(mark);
        return mark;
      }
    }
    MemorySegment event = EventCalls.create(device.context(), EventOptions.STANDARD);
    if (isForeign(device)) {
      // The event is of that device's context; the stream keeps the device until here.
      device.retain();
    }
    return new Mark(event, device);
  }

  /** One use, from before its operation is issued until behind it. */
  final class Turn {

    private final StreamHandle stream;
    private final Access access;
    private @Nullable Mark mark;

    private Turn(StreamHandle stream, Access access) {
      this.stream = stream;
      this.access = access;
    }

    /** Lets the stream wait for the uses that come before. */
    void await() {
      mark = mark(stream.device());
      if (write != null) {
        await(write);
      }
      if (access.writes()) {
        reads.forEach(this::await);
      }
    }

    private void await(Use before) {
      if (before.stream() == stream || before.followers().contains(stream)) {
        return;
      }
      Mark behind = before.mark();
      if (behind == null) {
        throw new IllegalStateException(
            "The automatic order of buffer '%s' is lost: the driver refused to record an event behind its use on stream '%s', so stream '%s' cannot wait for it. Use the buffer on stream '%s' again first."
                .formatted(
                    label, before.stream().label(), stream.label(), before.stream().label()));
      }
      StreamCalls.waitEvent(stream.context(), stream, behind.event(), label);
      StreamAccess checked = stream.access();
      if (checked != null) {
        checked.waitFor(before.point());
      }
      before.followers().removeIf(follower -> follower.clock().isDestroyed());
      before.followers().add(stream);
    }

    /** Notes that the operation is issued, with an event behind it. */
    void issued() {
      Mark behind = mark;
      mark = null;
      boolean recorded = false;
      try {
        if (behind != null) {
          EventCalls.record(stream.context(), behind.event(), stream.value());
          recorded = true;
        }
      } finally {
        if (!recorded && behind != null) {
          spare.add(behind);
        }
        StreamAccess checked = stream.access();
        Clock point = checked == null ? null : checked.point();
        note(new Use(stream, recorded ? behind : null, point, new HashSet<>()));
      }
    }

    private void note(Use use) {
      if (access.writes()) {
        if (write != null) {
          giveBack(write);
        }
        reads.forEach(AutomaticOrder.this::giveBack);
        reads.clear();
        write = use;
      } else {
        // What a destroyed stream has read is read.
        reads.removeIf(read -> {
          boolean over = read.stream() == stream || read.stream().clock().isDestroyed();
          if (over) {
            giveBack(read);
          }
          return over;
        });
        reads.add(use);
      }
    }

    /** Ends the turn, whether the operation was issued or not. */
    void end() {
      if (mark != null) {
        spare.add(mark);
        mark = null;
      }
      lock.unlock();
    }
  }
}
