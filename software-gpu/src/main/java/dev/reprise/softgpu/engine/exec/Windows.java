package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.memory.AddressSpace;

/**
 * Where the shared, local and parameter windows lie in generic addresses: beyond all made-up device
 * addresses. 4 GiB each.
 */
public final class Windows {
  public static final long BYTES = 1L << 32;
  public static final long SHARED = AddressSpace.END_ADDRESS + (1L << 40);
  public static final long LOCAL = SHARED + BYTES;
  public static final long PARAM = LOCAL + BYTES;

  /** Addresses of functions begin here; nothing can be read at them. */
  public static final long CODE = PARAM + BYTES;

  private Windows() {}

  /** Whether the address lies in the window that starts at {@code window}. */
  public static boolean in(long address, long window) {
    return address - window >= 0 && address - window < BYTES;
  }
}
