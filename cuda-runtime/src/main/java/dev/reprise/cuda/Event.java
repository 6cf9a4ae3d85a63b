package dev.reprise.cuda;

import dev.reprise.cuda.access.Clock;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A point in the work of a stream, set by {@link Stream#record}.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> may be created, recorded and waited for by a stream
 * during a capture, where it orders captured work; {@link #synchronize}, {@link #isComplete} and
 * {@link #elapsedMillis} are refused on a capturing thread, and on an event that was last recorded
 * in a capture. See CUDA Driver API, "Event Management".
 */
public final class Event implements AutoCloseable {

  /**
   * Where in a capture an event was recorded.
   *
   * @param capture the capture
   * @param position what precedes the event, see {@link CaptureOrder}
   */
  record Captured(Capture capture, CaptureOrder.Position position) {}

  private final Device device;
  private final EventHandle handle;

  private volatile @Nullable Captured captured;

  Event(Device device, EventHandle handle) {
    this.device = device;
    this.handle = handle;
  }

  /** Its name in messages. */
  public String label() {
    return handle.label();
  }

  /** What kind it is. */
  public EventOptions options() {
    return handle.options();
  }

  /**
   * The driver's {@code CUevent}, for calls that the runtime does not have. Borrowed: it is good
   * while the event is open and reachable; see {@linkplain dev.reprise.cuda raw handles}.
   *
   * @throws IllegalStateException if the event is closed
   */
  public MemorySegment driverHandle() {
    handle.checkOpen();
    return handle.value();
  }

  /** The device it belongs to. */
  public Device device() {
    return device;
  }

  /**
   * Milliseconds from {@code since} to this event, at a resolution of about half a microsecond
   * ({@code cuEventElapsedTime}).
   *
   * @param since the earlier event; both were created by {@link Device#createTimingEvent} and have
   *     been reached
   */
  public float elapsedMillis(Event since) {
    checkQuery("Event.elapsedMillis");
    since.checkQuery("Event.elapsedMillis");
    if (!options().timing() || !since.options().timing()) {
      throw new IllegalStateException(
          "Event '%s' has no timing; create it by Device.createTimingEvent."
              .formatted(options().timing() ? since.label() : label()));
    }
    Clock point = handle.recorded();
    Clock earlier = since.handle.recorded();
    since.handle.retain();
    try {
      handle.retain();
      try {
        float millis =
            EventCalls.elapsedMillis(device.context(), since.handle.value(), handle.value());
        handle.context().waited(point);
        handle.context().waited(earlier);
        return millis;
      } finally {
        handle.release();
      }
    } finally {
      since.handle.release();
    }
  }

  /**
   * Waits until the work before the event is done ({@code cuEventSynchronize}); at once if it was
   * never recorded.
   */
  public void synchronize() {
    checkQuery("Event.synchronize");
    Clock point = handle.recorded();
    handle.retain();
    try {
      int code = EventCalls.synchronize(device.context(), handle.value());
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuEventSynchronize", "event", label());
      }
      handle.context().waited(point);
    } finally {
      handle.release();
    }
  }

  /**
   * Whether the work before the event is done ({@code cuEventQuery}); true if it was never
   * recorded.
   */
  public boolean isComplete() {
    checkQuery("Event.isComplete");
    Clock point = handle.recorded();
    handle.retain();
    try {
      int code = EventCalls.query(device.context(), handle.value());
      if (code != Failures.SUCCESS && code != Failures.NOT_READY) {
        throw Failures.of(code, "cuEventQuery", "event", label());
      }
      boolean complete = code == Failures.SUCCESS;
      if (complete) {
        handle.context().waited(point);
      }
      return complete;
    } finally {
      handle.release();
    }
  }

  private void checkQuery(String call) {
    Capture.refuse(call);
    handle.checkOpen();
    Captured where = captured;
    if (where != null) {
      throw new IllegalStateException(
          "%s: event '%s' was last recorded in the capture of stream '%s' and marks no point in time. Record it outside of a capture first."
              .formatted(call, label(), where.capture().origin().label()));
    }
  }

  /** Destroys the event once no stream uses it. */
  @Override
  public void close() {
    handle.close();
  }

  EventHandle handle() {
    return handle;
  }

  @Nullable Captured captured() {
    return captured;
  }

  void recordedIn(@Nullable Captured where) {
    captured = where;
  }

  @Override
  public String toString() {
    return "Event '" + label() + "'";
  }
}
