package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.reprise.softgpu.driver.api.AllFunctions;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.faults.FaultInjector;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Native entry points of one driver: an upcall stub for each function, made when it is first asked
 * for and kept for ever. Thread-safe.
 */
public final class EntryPoints {

  private final Map<String, MethodHandle> functions;
  private final ConcurrentMap<String, MemorySegment> stubs = new ConcurrentHashMap<>();

  private final SoftwareGpu gpu;
  private final FaultInjector faults;

  public EntryPoints(SoftwareGpu gpu) {
    this.gpu = gpu;
    this.functions = AllFunctions.of(gpu, this::find);
    this.faults = new FaultInjector(functions.keySet(), gpu::limitMemory);
  }

  /** What makes calls of these functions fail on purpose. */
  public FaultInjector faults() {
    return faults;
  }

  /** The exported symbols of all functions. */
  public Set<String> symbols() {
    return functions.keySet();
  }

  /** The C signature of a function that exists. */
  public FunctionDescriptor descriptor(String symbol) {
    MethodHandle function = functions.get(symbol);
    if (function == null) {
      throw new IllegalArgumentException("no function " + symbol);
    }
    return descriptor(function.type());
  }

  /** The native address of a function, or empty when this driver lacks it. */
  public Optional<MemorySegment> find(String symbol) {
    MethodHandle function = functions.get(symbol);
    return function == null
        ? Optional.empty()
        : Optional.of(stubs.computeIfAbsent(symbol, name -> stub(name, function)));
  }

  private MemorySegment stub(String symbol, MethodHandle function) {
    MethodHandle entered = FaultPoint.around(symbol, function, faults, gpu);
    return Linker.nativeLinker()
        .upcallStub(Guard.around(symbol, entered), descriptor(function.type()), Arena.global());
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
