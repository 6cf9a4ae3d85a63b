package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.List;

/** A driver library. */
final class LibraryHandle extends DriverHandle {

  private final JitCalls.Options options;

  LibraryHandle(String label, DeviceHandle device, LibraryCalls.Loaded loaded) {
    super(ResourceKind.LIBRARY, label, device.context(), loaded.value(), List.of(device));
    this.options = loaded.options();
  }

  /** What the driver's compiler has said so far. */
  String log() {
    return options.log();
  }

  @Override
  protected void destroy() {
    LibraryCalls.unload(context(), label(), value());
  }
}
