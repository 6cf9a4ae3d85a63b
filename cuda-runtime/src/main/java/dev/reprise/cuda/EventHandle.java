package dev.reprise.cuda;

import dev.reprise.cuda.access.Clock;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A driver event. */
final class EventHandle extends DriverHandle {

  private final EventOptions options;

  /** What precedes it, while accesses are checked; null before it is recorded. */
  private volatile @Nullable Clock recorded;

  EventHandle(String label, DeviceHandle device, MemorySegment value, EventOptions options) {
    super(ResourceKind.EVENT, label, device.context(), value, List.of(device));
    this.options = options;
  }

  EventOptions options() {
    return options;
  }

  @Nullable Clock recorded() {
    return recorded;
  }

  void recordedAt(Clock point) {
    recorded = point;
  }

  @Override
  protected void destroy() {
    EventCalls.destroy(context(), value());
  }
}
