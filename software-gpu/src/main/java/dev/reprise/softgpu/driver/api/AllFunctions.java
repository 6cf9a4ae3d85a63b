package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.DriverSymbol;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** Every function of the driver API that does something here, by its exported symbol. */
public final class AllFunctions {

  private static final String PREFIX = "cu";

  private AllFunctions() {}

  /**
   * The functions of one driver.
   *
   * @param gpu its state
   * @param entryPoints how {@code cuGetProcAddress} finds native entry points by exported symbol
   * @param perThread the exported symbol of a function's variant for per-thread default streams
   */
  public static Map<String, MethodHandle> of(
      SoftwareGpu gpu,
      Function<String, Optional<MemorySegment>> entryPoints,
      Function<DriverSymbol, String> perThread) {
    Map<String, MethodHandle> functions = new TreeMap<>();
    Stream.of(
            new DriverFunctions(gpu),
            new LogFunctions(gpu),
            new ProfilerFunctions(gpu),
            new ProcAddressFunctions(gpu, entryPoints, perThread),
            new DeviceFunctions(gpu),
            new ContextFunctions(gpu),
            new PreferenceFunctions(gpu),
            new StreamFunctions(gpu),
            new StreamAttributeFunctions(gpu),
            new StreamValueFunctions(gpu),
            new CaptureFunctions(gpu),
            new EventFunctions(gpu),
            new MemoryFunctions(gpu),
            new ManagedFunctions(gpu),
            new VirtualMemoryFunctions(gpu),
            new PointerFunctions(gpu),
            new PoolFunctions(gpu),
            new CopyFunctions(gpu),
            new BoxCopyFunctions(gpu),
            new BatchCopyFunctions(gpu),
            new PeerFunctions(gpu),
            new FillFunctions(gpu),
            new ModuleFunctions(gpu),
            new LibraryFunctions(gpu),
            new KernelFunctions(gpu),
            new OccupancyFunctions(gpu),
            new TensorMapFunctions(gpu),
            new LaunchFunctions(gpu),
            new GraphFunctions(gpu),
            new GraphNodeFunctions(gpu),
            new KernelNodeAttributeFunctions(gpu),
            new EventNodeFunctions(gpu),
            new GraphMemoryFunctions(gpu),
            new BatchNodeFunctions(gpu),
            new GenericNodeFunctions(gpu),
            new ConditionalFunctions(gpu),
            new GraphExecFunctions(gpu),
            new ExternalMemoryFunctions(gpu),
            new ExternalSemaphoreFunctions(gpu),
            new SemaphoreNodeFunctions(gpu),
            new UserObjectFunctions(gpu))
        .forEach(group -> addAll(group, functions));
    return functions;
  }

  private static void addAll(Functions group, Map<String, MethodHandle> functions) {
    for (Method method : group.getClass().getDeclaredMethods()) {
      if (method.getName().startsWith(PREFIX)) {
        functions.put(method.getName(), bind(group, method));
      }
    }
  }

  private static MethodHandle bind(Functions group, Method method) {
    try {
      return MethodHandles.lookup().unreflect(method).bindTo(group);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("cannot reach " + method, e);
    }
  }
}
