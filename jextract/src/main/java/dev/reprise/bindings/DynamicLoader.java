package dev.reprise.bindings;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Optional;

/**
 * Asks the system's loader why it does not take a library: {@link SymbolLookup#libraryLookup} says
 * only that it does not, which leaves apart a missing file, a wrong architecture and a missing
 * dependency (POSIX {@code dlopen} and {@code dlerror}).
 */
final class DynamicLoader {

  private static final int RTLD_LAZY = 1;
  private static final long MAX_TEXT = 4096;

  private DynamicLoader() {}

  /** The loader's own words about a name or path; empty where it has none, as on Windows. */
  static Optional<String> failure(String library) {
    Linker linker = Linker.nativeLinker();
    SymbolLookup system = linker.defaultLookup();
    Optional<MemorySegment> open = system.find("dlopen");
    Optional<MemorySegment> error = system.find("dlerror");
    if (open.isEmpty() || error.isEmpty()) {
      return Optional.empty();
    }
    var opening =
        linker.downcallHandle(open.get(), FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));
    var asking = linker.downcallHandle(error.get(), FunctionDescriptor.of(ADDRESS));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(library);
      MemorySegment handle = (MemorySegment) opening.invokeExact(name, RTLD_LAZY);
      // The text belongs to this thread and lasts until its next call of the loader.
      MemorySegment text = (MemorySegment) asking.invokeExact();
      return handle.address() != 0 || text.address() == 0
          ? Optional.empty()
          : Optional.of(withoutName(text.reinterpret(MAX_TEXT).getString(0), library));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a downcall threw a checked exception", e);
    }
  }

  private static String withoutName(String text, String library) {
    String prefix = library + ": ";
    return text.startsWith(prefix) ? text.substring(prefix.length()) : text;
  }
}
