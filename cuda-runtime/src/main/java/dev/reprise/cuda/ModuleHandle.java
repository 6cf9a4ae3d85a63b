package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.List;

/** A driver module. */
final class ModuleHandle extends DriverHandle {

  private final String log;

  ModuleHandle(String label, DeviceHandle device, ModuleCalls.Loaded loaded) {
    super(ResourceKind.MODULE, label, device.context(), loaded.value(), List.of(device));
    this.log = loaded.log();
  }

  /** What the driver's compiler said. */
  String log() {
    return log;
  }

  @Override
  protected void destroy() {
    ModuleCalls.unload(context(), label(), value());
  }
}
