package dev.reprise.softgpu.memory;

import org.jspecify.annotations.Nullable;

/** The memory beside that of one device: of other devices, and of the host by way of them. */
public interface Neighbours {

  /** The live allocation there that kernels of the device can access, or null. */
  @Nullable Allocation reachable(long address);

  /** The live allocation there, or null. */
  @Nullable Allocation any(long address);
}
