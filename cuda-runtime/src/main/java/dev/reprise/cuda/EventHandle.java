package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A driver event. */
final class EventHandle extends DriverHandle {

  private final boolean timing;

  EventHandle(String label, DeviceHandle device, MemorySegment value, boolean timing) {
    super(ResourceKind.EVENT, label, device.context(), value, List.of(device));
    this.timing = timing;
  }

  boolean timing() {
    return timing;
  }

  @Override
  protected void destroy() {
    EventCalls.destroy(context(), value());
  }
}
