package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.decode.ModuleDecoder.DecodedKernel;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.ptx.PtxException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decoded code by its text, for the next load of the same text into the same memory, as a driver
 * keeps what it has compiled. With it goes the bytecode generated for it. Code that holds
 * addresses, of variables or of functions, is decoded for each load. What was used longest ago goes
 * first. Thread-safe.
 */
final class CodeCache {
  /** Length of the texts that are kept: some thirty times the kernels of a model. */
  private static final int MOST_CHARACTERS = 24 << 20;

  private final AddressSpace memory;
  private final long most;
  private final Map<String, List<DecodedKernel>> kept = new LinkedHashMap<>(16, 0.75f, true);
  private long characters;

  CodeCache(AddressSpace memory) {
    this(memory, MOST_CHARACTERS);
  }

  /**
   * @param most length of the texts that are kept, in characters
   */
  CodeCache(AddressSpace memory, long most) {
    this.memory = memory;
    this.most = most;
  }

  LoadedModule load(String ptx) throws PtxException {
    List<DecodedKernel> decoded = find(ptx);
    if (decoded != null) {
      return LoadedModule.of(decoded, memory);
    }
    LoadedModule module = LoadedModule.load(ptx, memory);
    if (module.selfContained()) {
      keep(ptx, module.kernels().stream().map(KernelCode::decoded).toList());
    }
    return module;
  }

  private synchronized @Nullable List<DecodedKernel> find(String ptx) {
    return kept.get(ptx);
  }

  private synchronized void keep(String ptx, List<DecodedKernel> decoded) {
    if (ptx.length() > most || kept.putIfAbsent(ptx, decoded) != null) {
      return;
    }
    characters += ptx.length();
    Iterator<String> oldest = kept.keySet().iterator();
    while (characters > most) {
      characters -= oldest.next().length();
      oldest.remove();
    }
  }
}
