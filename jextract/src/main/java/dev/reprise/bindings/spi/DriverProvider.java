package dev.reprise.bindings.spi;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A CUDA driver that lives in this process instead of in a shared library, found by {@link
 * java.util.ServiceLoader}.
 *
 * <p>It answers symbols with native entry points (upcall stubs), so that the generated bindings
 * call it exactly as they call {@code libcuda}.
 *
 * <p>A constructor that cannot read a setting throws an {@link IllegalArgumentException} whose
 * message names the setting; it becomes the reason of a {@link
 * dev.reprise.bindings.DriverNotFoundException}.
 */
public interface DriverProvider {

  /** A short name for logs and reports, such as {@code software GPU}. */
  String name();

  /**
   * The entry point of an exported driver symbol such as {@code cuMemAlloc_v2}.
   *
   * <p>Called from any thread; the same symbol always gives the same address, valid for the life of
   * the process.
   *
   * @param symbol the exported name, with its ABI suffix
   * @return the native address of a function with the C signature of the symbol, or empty when this
   *     driver lacks it
   */
  Optional<MemorySegment> find(String symbol);
}
