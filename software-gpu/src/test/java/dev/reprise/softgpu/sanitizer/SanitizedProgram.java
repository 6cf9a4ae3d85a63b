package dev.reprise.softgpu.sanitizer;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.driver.EntryPoints;
import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.sanitizer.Findings;
import dev.reprise.softgpu.driver.simulation.Simulator;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.engine.Execution;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A program on a driver of its own with two devices, whose sanitizer has options of its own. It
 * begins on the first device.
 */
public final class SanitizedProgram {

  private static final int NON_BLOCKING = 1;
  private static final int RELAXED = 2;

  private final Findings findings;
  private final EntryPoints driver;
  private final Arena arena = Arena.ofAuto();
  private final Map<String, MethodHandle> calls = new HashMap<>();
  private final Map<Integer, Long> contexts = new HashMap<>();

  /** Per device. */
  private final Map<Integer, Map<String, Long>> kernels = new HashMap<>();

  private final Map<Integer, Map<String, Long>> modules = new HashMap<>();
  private int device;

  public SanitizedProgram(SanitizerOptions options) {
    this(options, new Simulator(), 2);
  }

  /** On a device with so many workers. */
  public SanitizedProgram(SanitizerOptions options, Simulator simulator, int workers) {
    findings = new Findings(options);
    Execution execution = options.full() ? Execution.INTERPRETED : Execution.ADAPTIVE;
    DeviceModel model = DeviceModel.of(workers, 1L << 28);
    driver = new EntryPoints(new SoftwareGpu(2, model, execution, findings, simulator));
    ok("cuInit", 0);
    on(0);
  }

  /** Has the calls from here on mean a device. */
  void on(int ordinal) {
    device = ordinal;
    if (!contexts.containsKey(ordinal)) {
      contexts.put(ordinal, out("cuDevicePrimaryCtxRetain", ordinal));
    }
    ok("cuCtxSetCurrent", context(ordinal));
  }

  /** The context of a device that has been current. */
  long context(int ordinal) {
    return Objects.requireNonNull(contexts.get(ordinal));
  }

  /** Loads the kernels of a module, each of which begins a line. */
  void load(String ptx) {
    long module = out("cuModuleLoadData", arena.allocateFrom(ptx));
    for (String line : ptx.lines().filter(l -> l.contains(".entry")).toList()) {
      String name = line.replaceAll(".*\\.entry (\\w+).*", "$1");
      kernels().put(name, out("cuModuleGetFunction", module, arena.allocateFrom(name)));
    }
  }

  private Map<String, Long> kernels() {
    return kernels.computeIfAbsent(device, d -> new HashMap<>());
  }

  /** The handle of a kernel, from the first file that has it. */
  private long kernel(String name) {
    for (String file : List.of("mistakes.ptx", "tiles.ptx", "orders.ptx")) {
      if (kernels().containsKey(name)) {
        break;
      }
      if (text(file).contains(".entry " + name + "(")) {
        Map<String, Long> loaded = modules.computeIfAbsent(device, d -> new HashMap<>());
        Long module = loaded.get(file);
        if (module == null) {
          module = out("cuModuleLoadData", arena.allocateFrom(text(file)));
          loaded.put(file, module);
        }
        kernels().put(name, out("cuModuleGetFunction", module, arena.allocateFrom(name)));
      }
    }
    return Objects.requireNonNull(kernels().get(name), name);
  }

  static String text(String file) {
    try (InputStream in = SanitizedProgram.class.getResourceAsStream(file)) {
      assertThat(in).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Sanitizer sanitizer() {
    return findings;
  }

  public List<Report> reports() {
    return findings.reports();
  }

  /** Calls a driver function; numbers stand for pointers where it takes those. */
  public int call(String symbol, Object... arguments) {
    FunctionDescriptor type = driver.descriptor(symbol);
    MethodHandle handle =
        calls.computeIfAbsent(
            symbol,
            name -> Linker.nativeLinker().downcallHandle(driver.find(name).orElseThrow(), type));
    Object[] converted = arguments.clone();
    for (int i = 0; i < converted.length; i++) {
      if (type.argumentLayouts().get(i).equals(ADDRESS) && converted[i] instanceof Number n) {
        converted[i] = MemorySegment.ofAddress(n.longValue());
      }
    }
    try {
      return (int) handle.invokeWithArguments(converted);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  public void ok(String symbol, Object... arguments) {
    assertThat(Result.of(call(symbol, arguments))).as(symbol).isEqualTo(Result.SUCCESS);
  }

  /** Calls a function that writes a number of 64 bits through its first argument. */
  public long out(String symbol, Object... rest) {
    MemorySegment slot = arena.allocate(JAVA_LONG);
    Object[] arguments = new Object[rest.length + 1];
    arguments[0] = slot;
    System.arraycopy(rest, 0, arguments, 1, rest.length);
    ok(symbol, arguments);
    return slot.get(JAVA_LONG, 0);
  }

  public long stream() {
    return out("cuStreamCreate", NON_BLOCKING);
  }

  public long event() {
    return out("cuEventCreate", 2);
  }

  public long allocate(int ints) {
    return out("cuMemAlloc_v2", 4L * ints);
  }

  /** Device memory with contents, which the program knows to be there. */
  public long filled(int ints) {
    long address = allocate(ints);
    ok("cuMemsetD32_v2", address, 1, (long) ints);
    ok("cuCtxSynchronize");
    return address;
  }

  public long allocateAsync(int ints, long stream) {
    return out("cuMemAllocAsync", 4L * ints, stream);
  }

  public MemorySegment pinned(int ints) {
    return MemorySegment.ofAddress(out("cuMemHostAlloc", 4L * ints, 0)).reinterpret(4L * ints);
  }

  public void upload(long to, MemorySegment from, long stream) {
    ok("cuMemcpyHtoDAsync_v2", to, from, from.byteSize(), stream);
  }

  public void download(MemorySegment to, long from, long stream) {
    ok("cuMemcpyDtoHAsync_v2", to, from, to.byteSize(), stream);
  }

  public void copy(long to, long from, int ints, long stream) {
    ok("cuMemcpyDtoDAsync_v2", to, from, 4L * ints, stream);
  }

  public void set(long address, int value, int ints, long stream) {
    ok("cuMemsetD32Async", address, value, (long) ints, stream);
  }

  public void free(long address) {
    ok("cuMemFree_v2", address);
  }

  public void freeAsync(long address, long stream) {
    ok("cuMemFreeAsync", address, stream);
  }

  public void record(long event, long stream) {
    ok("cuEventRecord", event, stream);
  }

  public void waitFor(long stream, long event) {
    ok("cuStreamWaitEvent", stream, event, 0);
  }

  /** Waits for a stream, whatever it answers. */
  public int finish(long stream) {
    return call("cuStreamSynchronize", stream);
  }

  public void sync(long stream) {
    ok("cuStreamSynchronize", stream);
  }

  public void launch(
      String kernel, int grid, int block, int shared, long stream, Object... values) {
    launch(kernel, grid, block, 1, shared, stream, values);
  }

  /** As the other one, with blocks of two dimensions. */
  public void launch(
      String kernel, int grid, int x, int y, int shared, long stream, Object[] values) {
    ok("cuLaunchKernel", kernel(kernel), grid, 1, 1, x, y, 1, shared, stream, pointers(values), 0L);
  }

  /** Launches blocks that may wait for each other. */
  void launchTogether(String kernel, int grid, int block, long stream, Object... values) {
    ok(
        "cuLaunchCooperativeKernel",
        kernel(kernel),
        grid,
        1,
        1,
        block,
        1,
        1,
        0,
        stream,
        pointers(values));
  }

  private MemorySegment pointers(Object... values) {
    MemorySegment pointers = arena.allocate(ADDRESS, Math.max(1, values.length));
    for (int i = 0; i < values.length; i++) {
      MemorySegment value =
          values[i] instanceof Long l
              ? arena.allocateFrom(JAVA_LONG, l)
              : arena.allocateFrom(JAVA_INT, (Integer) values[i]);
      pointers.setAtIndex(ADDRESS, i, value);
    }
    return pointers;
  }

  public void begin(long stream) {
    ok("cuStreamBeginCapture_v2", stream, RELAXED);
  }

  public long end(long stream) {
    MemorySegment slot = arena.allocate(JAVA_LONG);
    ok("cuStreamEndCapture", stream, slot);
    return out("cuGraphInstantiateWithFlags", slot.get(JAVA_LONG, 0), 0L);
  }

  public void replay(long exec, long stream) {
    ok("cuGraphLaunch", exec, stream);
  }

  public void hostFunction(long stream, Runnable body) {
    try {
      MethodHandle run =
          MethodHandles.lookup()
              .findVirtual(Runnable.class, "run", MethodType.methodType(void.class))
              .bindTo(body);
      MemorySegment stub =
          Linker.nativeLinker()
              .upcallStub(
                  MethodHandles.dropArguments(run, 0, MemorySegment.class),
                  FunctionDescriptor.ofVoid(ADDRESS),
                  arena);
      ok("cuLaunchHostFunc", stream, stub, 0L);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** Ends the contexts, waiting for what is queued. */
  public void close() {
    contexts.keySet().forEach(ordinal -> ok("cuDevicePrimaryCtxReset_v2", ordinal));
    ok("cuCtxSetCurrent", 0L);
  }
}
