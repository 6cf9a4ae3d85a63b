package dev.reprise.cuda;

import dev.reprise.cuda.access.AccessChecker;
import dev.reprise.cuda.access.StreamAccess;
import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.StreamClock;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A driver stream and its clock. */
final class StreamHandle extends DriverHandle {

  private final DeviceHandle device;
  private final StreamClock clock;
  private final @Nullable StreamAccess access;

  /** Guarded by the clock's lock. */
  private @Nullable AutomaticUses ordered;

  /** Whether it was given work that calls host functions; guarded by the clock's lock. */
  private boolean callsHost;

  StreamHandle(String label, DeviceHandle device, MemorySegment value) {
    super(ResourceKind.STREAM, label, device.context(), value, List.of(device));
    this.device = device;
    this.clock = new StreamClock(value, device.context().fences());
    AccessChecker checker = device.context().checker();
    this.access = checker == null ? null : checker.stream(label);
  }

  /** The device it belongs to. */
  DeviceHandle device() {
    return device;
  }

  /** Its operations for the check of accesses; null when that is off. */
  @Nullable StreamAccess access() {
    return access;
  }

  /** The operation being issued that uses buffers with automatic order; null for none. */
  @Nullable AutomaticUses ordered() {
    return ordered;
  }

  void ordered(@Nullable AutomaticUses operation) {
    ordered = operation;
  }

  /** Notes work that calls host functions; true for the first time. */
  boolean mayCallHost() {
    boolean first = !callsHost;
    callsHost = true;
    return first;
  }

  StreamClock clock() {
    return clock;
  }

  @Override
  protected void destroy() {
    try {
      StreamCalls.destroy(context(), value());
    } finally {
      HostFunctionsAtExit.destroyed(this);
      // All its work is done, whether the driver lets it go or not.
      clock.destroyed();
      if (access != null) {
        access.closed();
      }
    }
  }
}
