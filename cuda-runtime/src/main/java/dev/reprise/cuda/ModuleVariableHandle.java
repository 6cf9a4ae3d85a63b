package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.List;

/** A variable of a module; its memory is the module's. */
final class ModuleVariableHandle extends RegionHandle {

  /** The caller has retained the module for it. */
  ModuleVariableHandle(ModuleHandle module, String name, long address, long size) {
    super(
        ResourceKind.MODULE_VARIABLE,
        module.label() + "." + name,
        module.context(),
        List.of(module),
        address,
        size);
  }

  @Override
  protected void destroy() {
    // The memory goes with the module.
  }
}
