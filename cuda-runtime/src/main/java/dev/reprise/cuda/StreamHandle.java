package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.StreamClock;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A driver stream and its clock. */
final class StreamHandle extends DriverHandle {

  private final StreamClock clock;

  StreamHandle(String label, DeviceHandle device, MemorySegment value) {
    super(ResourceKind.STREAM, label, device.context(), value, List.of(device));
    this.clock = new StreamClock(value, device.context().fences());
  }

  StreamClock clock() {
    return clock;
  }

  @Override
  protected void destroy() {
    try {
      StreamCalls.destroy(context(), value());
    } finally {
      // All its work is done, whether the driver lets it go or not.
      clock.destroyed();
    }
  }
}
