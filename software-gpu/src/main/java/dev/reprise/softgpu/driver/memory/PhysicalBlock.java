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

  private final VirtualMemory home;
  private final PhysicalMemory memory;

  /** References of the caller. */
  int held = 1;

  /** Ranges that it is mapped to. */
  int mappings;

  PhysicalBlock(Handles handles, VirtualMemory home, PhysicalMemory memory) {
    super(handles, HandleKind.PHYSICAL_MEMORY);
    this.home = home;
    this.memory = memory;
  }

  /** The memory of its device. */
  public VirtualMemory home() {
    return home;
  }

  PhysicalMemory memory() {
    return memory;
  }
}
