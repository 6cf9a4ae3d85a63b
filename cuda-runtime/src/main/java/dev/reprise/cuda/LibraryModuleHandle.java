package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** What a library is in one context; its code is the library's. */
final class LibraryModuleHandle extends ModuleHandle {

  private final LibraryHandle library;

  /** The caller has retained the library and the device for it. */
  LibraryModuleHandle(LibraryHandle library, DeviceHandle device, MemorySegment value) {
    super(library.label(), device.context(), value, List.of(library, device));
    this.library = library;
  }

  @Override
  String log() {
    return library.log();
  }

  @Override
  MemorySegment function(String name) {
    return LibraryCalls.function(context(), LibraryCalls.kernel(library, name), name);
  }

  @Override
  protected void destroy() {
    // The code goes with the library.
  }
}
