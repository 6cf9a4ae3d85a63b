package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** A driver module that was loaded by itself. */
final class OwnModuleHandle extends ModuleHandle {

  private final String log;

  OwnModuleHandle(String label, DeviceHandle device, ModuleCalls.Loaded loaded) {
    super(label, device.context(), loaded.value(), List.of(device));
    this.log = loaded.log();
  }

  @Override
  String log() {
    return log;
  }

  @Override
  MemorySegment function(String name) {
    return ModuleCalls.function(context(), this, name);
  }

  @Override
  protected void destroy() {
    ModuleCalls.unload(context(), label(), value());
  }
}
