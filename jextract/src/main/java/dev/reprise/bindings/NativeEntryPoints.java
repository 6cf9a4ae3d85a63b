package dev.reprise.bindings;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Entry points of a shared library, asked from {@code cuGetProcAddress} at the version that
 * introduced each ABI, then by exported name (CUDA Driver API, "Driver Entry Point Access").
 */
final class NativeEntryPoints implements EntryPoints {

  private final SymbolLookup exports;
  private final int driverVersion;
  private final @Nullable MethodHandle getProcAddress;

  NativeEntryPoints(SymbolLookup exports, int driverVersion) {
    this.exports = exports;
    this.driverVersion = driverVersion;
    this.getProcAddress =
        exports
            .find("cuGetProcAddress_v2")
            .map(address ->
                Linker.nativeLinker()
                    .downcallHandle(
                        address,
                        FunctionDescriptor.of(
                            JAVA_INT, ADDRESS, ADDRESS, JAVA_INT, JAVA_LONG, ADDRESS)))
            .orElse(null);
  }

  @Override
  public Optional<MemorySegment> find(String symbol) {
    DriverSymbol known = DriverSymbol.all().get(symbol);
    if (known != null && known.version() > driverVersion && driverVersion != 0) {
      // A newer ABI than the driver's: cuGetProcAddress would answer with an older one.
      return exports.find(symbol);
    }
    if (known != null && getProcAddress != null) {
      MemorySegment found = ask(getProcAddress, known);
      if (found.address() != 0) {
        return Optional.of(found);
      }
    }
    return exports.find(symbol);
  }

  private static MemorySegment ask(MethodHandle getProcAddress, DriverSymbol symbol) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS);
      MemorySegment status = arena.allocate(JAVA_INT);
      int code =
          (int)
              getProcAddress.invokeExact(
                  arena.allocateFrom(symbol.base()), out, symbol.version(), 0L, status);
      return code == 0 ? out.get(ADDRESS, 0) : MemorySegment.NULL;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a downcall threw a checked exception", e);
    }
  }
}
