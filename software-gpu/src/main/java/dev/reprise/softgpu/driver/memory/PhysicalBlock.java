package dev.reprise.softgpu.driver.memory;

import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.memory.PhysicalMemory;

/**
 * Memory without addresses ({@code CUmemGenericAllocationHandle}). It lives while the caller holds
 * the handle or it is mapped. Guarded by {@link VirtualMemory}.
 */
public final class PhysicalBlock extends Handled {

  private final PhysicalMemory memory;

  /** References of the caller. */
  int held = 1;

  /** Ranges that it is mapped to. */
  int mappings;

  PhysicalBlock(Handles handles, PhysicalMemory memory) {
    super(handles, HandleKind.PHYSICAL_MEMORY);
    this.memory = memory;
  }

  PhysicalMemory memory() {
    return memory;
  }
}
