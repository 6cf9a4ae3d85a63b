package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.softgpu.driver.api.AllFunctions;
import dev.reprise.softgpu.driver.api.UnsupportedFunctions;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.faults.FaultInjector;
import dev.reprise.softgpu.driver.simulation.Simulator;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Native entry points of one driver: an upcall stub for each function, made when it is first asked
 * for and kept for ever. Thread-safe.
 */
public final class EntryPoints {

  private static final MethodHandle RETURNING;

  static {
    try {
      RETURNING =
          MethodHandles.lookup()
              .findVirtual(
                  Simulator.class, "returning", MethodType.methodType(int.class, int.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Map<String, MethodHandle> functions;
  private final ConcurrentMap<String, MemorySegment> stubs = new ConcurrentHashMap<>();

  private final Set<String> symbols;
  private final SoftwareGpu gpu;
  private final FaultInjector faults;

  public EntryPoints(SoftwareGpu gpu) {
    this.gpu = gpu;
    this.functions = AllFunctions.of(gpu, this::find, PerThreadCalls::variantOf);
    this.symbols = new TreeSet<>(functions.keySet());
    symbols.addAll(UnsupportedFunctions.all().keySet());
    this.faults = new FaultInjector(symbols, gpu::limitMemory);
  }

  /** What makes calls of these functions fail on purpose. */
  public FaultInjector faults() {
    return faults;
  }

  /** The exported symbols of all functions, without the per-thread variants. */
  public Set<String> symbols() {
    return Collections.unmodifiableSet(symbols);
  }

  /** The symbols of the functions that do something, unlike {@link UnsupportedFunctions}. */
  public Set<String> implemented() {
    return functions.keySet();
  }

  /** The C signature of a function that exists. */
  public FunctionDescriptor descriptor(String symbol) {
    MethodHandle function = function(symbol);
    if (function == null) {
      throw new IllegalArgumentException("no function " + symbol);
    }
    FunctionDescriptor byValue = byValue(symbol);
    if (byValue != null) {
      return byValue;
    }
    // Structs that are passed by value show in the bindings only.
    return UnsupportedFunctions.contains(symbol)
        ? UnsupportedFunctions.descriptor(symbol)
        : descriptor(function.type());
  }

  /** The native address of a function or of its variant, or empty when this driver lacks it. */
  public Optional<MemorySegment> find(String symbol) {
    MemorySegment known = stubs.get(symbol);
    if (known != null) {
      return Optional.of(known);
    }
    String plain = PerThreadCalls.functionOf(symbol).orElse(symbol);
    MethodHandle function = function(plain);
    if (function == null) {
      return Optional.empty();
    }
    MethodHandle called = plain.equals(symbol) ? function : PerThreadCalls.around(function, gpu);
    return Optional.of(stubs.computeIfAbsent(symbol, name -> stub(plain, called)));
  }

  private @Nullable MethodHandle function(String symbol) {
    MethodHandle function = functions.get(symbol);
    return function == null ? UnsupportedFunctions.find(symbol, gpu) : function;
  }

  private MemorySegment stub(String symbol, MethodHandle function) {
    MethodHandle entered = FaultPoint.around(symbol, function, faults, gpu);
    MethodHandle called =
        MethodHandles.filterReturnValue(
            Guard.around(symbol, entered, gpu.errorLog()), RETURNING.bindTo(gpu.simulator()));
    return Linker.nativeLinker().upcallStub(called, descriptor(symbol), Arena.global());
  }

  /**
   * The signature of a function that takes a struct, which a method type cannot tell from a
   * pointer; null for others. Made when it is asked for: struct layouts need native access.
   */
  private static @Nullable FunctionDescriptor byValue(String symbol) {
    return switch (symbol) {
      case "cuMemAdvise_v2" ->
          FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, CUmemLocation.layout());
      case "cuMemPrefetchAsync_v2" ->
          FunctionDescriptor.of(
              JAVA_INT, JAVA_LONG, JAVA_LONG, CUmemLocation.layout(), JAVA_INT, ADDRESS);
      default -> null;
    };
  }

  private static FunctionDescriptor descriptor(MethodType type) {
    MemoryLayout[] arguments =
        type.parameterList().stream().map(EntryPoints::layout).toArray(MemoryLayout[]::new);
    return FunctionDescriptor.of(layout(type.returnType()), arguments);
  }

  private static MemoryLayout layout(Class<?> type) {
    if (type == int.class) {
      return JAVA_INT;
    } else if (type == long.class) {
      return JAVA_LONG;
    } else if (type == MemorySegment.class) {
      return ADDRESS;
    } else if (type == float.class) {
      return JAVA_FLOAT;
    } else if (type == short.class) {
      return JAVA_SHORT;
    } else if (type == byte.class) {
      return JAVA_BYTE;
    }
    throw new IllegalArgumentException("no C type for " + type);
  }
}
