package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.decode.ModuleDecoder;
import dev.reprise.softgpu.engine.decode.ModuleDecoder.DecodedKernel;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.ptx.PtxException;
import dev.reprise.softgpu.ptx.PtxModule;
import dev.reprise.softgpu.ptx.PtxParser;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A PTX module whose kernels are decoded and whose variables live in device memory. Thread-safe.
 */
public final class LoadedModule {
  private final Map<String, KernelCode> kernels = new LinkedHashMap<>();
  private final Map<String, Allocation> globals;
  private final AddressSpace memory;
  private final boolean selfContained;

  private LoadedModule(
      List<DecodedKernel> decoded,
      Map<String, Allocation> globals,
      AddressSpace memory,
      boolean selfContained) {
    decoded.forEach(k -> kernels.put(k.program().name(), new KernelCode(k)));
    this.globals = globals;
    this.memory = memory;
    this.selfContained = selfContained;
  }

  /** A module without variables and functions. */
  static LoadedModule of(List<DecodedKernel> decoded, AddressSpace memory) {
    return new LoadedModule(decoded, Map.of(), memory, true);
  }

  /**
   * Parses the text, decodes every kernel, allocates and initialises {@code .global} and {@code
   * .const} variables.
   *
   * @throws PtxException for text that does not parse and for any instruction that the engine does
   *     not support, with its line
   */
  public static LoadedModule load(String ptx, AddressSpace memory) throws PtxException {
    PtxModule module = PtxParser.parse(ptx);
    Map<String, Long> addresses = CodeAddresses.of(module);
    Map<String, Allocation> globals = ModuleVariables.allocate(module, memory, addresses);
    try {
      List<DecodedKernel> decoded = new ModuleDecoder(module, globals, addresses).kernels();
      boolean selfContained = globals.isEmpty() && addresses.isEmpty();
      return new LoadedModule(decoded, globals, memory, selfContained);
    } catch (RuntimeException e) {
      ModuleVariables.free(globals, memory);
      throw e;
    }
  }

  /** Whether its code holds no address, of a variable or of a function. */
  boolean selfContained() {
    return selfContained;
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
    ModuleVariables.free(globals, memory);
  }
}
