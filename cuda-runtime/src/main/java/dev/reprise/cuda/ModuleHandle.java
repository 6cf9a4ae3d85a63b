package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A driver module. */
final class ModuleHandle extends DriverHandle {

  ModuleHandle(String label, DeviceHandle device, MemorySegment value) {
    super(ResourceKind.MODULE, label, device.context(), value, List.of(device));
  }

  @Override
  protected void destroy() {
    ModuleCalls.unload(context(), label(), value());
  }
}
