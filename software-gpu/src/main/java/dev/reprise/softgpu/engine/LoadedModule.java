package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.ptx.PtxException;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A PTX module whose kernels are decoded and whose variables live in device memory. Thread-safe.
 */
public final class LoadedModule {
  private final Map<String, KernelCode> kernels;
  private final Map<String, Allocation> globals;
  private final AddressSpace memory;

  private LoadedModule(
      Map<String, KernelCode> kernels, Map<String, Allocation> globals, AddressSpace memory) {
    this.kernels = kernels;
    this.globals = globals;
    this.memory = memory;
  }

  /**
   * Parses the text, decodes every kernel, allocates and initialises {@code .global} and {@code
   * .const} variables.
   *
   * @throws PtxException for text that does not parse and for any instruction that the engine does
   *     not support, with its line
   */
  public static LoadedModule load(String ptx, AddressSpace memory) throws PtxException {
    throw new PtxException(1, 0, "no PTX version is supported");
  }

  /** The kernel with that (mangled) name, or null. */
  public @Nullable KernelCode kernel(String name) {
    return kernels.get(name);
  }

  /** Kernels in the order of the text. */
  public Collection<KernelCode> kernels() {
    return kernels.values();
  }

  /** The memory of a {@code .global} or {@code .const} variable, or null. */
  public @Nullable Allocation global(String name) {
    return globals.get(name);
  }

  /**
   * Frees the module's variables. Kernels of an unloaded module must not be launched. Idempotent.
   */
  public void unload() {
    for (Allocation a : globals.values()) {
      if (a.live()) {
        memory.free(a);
      }
    }
  }
}
