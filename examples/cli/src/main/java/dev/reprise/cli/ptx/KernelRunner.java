package dev.reprise.cli.ptx;

import dev.reprise.bindings.DriverLibrary;
import dev.reprise.cli.ptx.CaseResult.Report;
import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Kernel;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.ModuleLoadException;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import dev.reprise.cuda.diagnostics.CleanupFailure;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.DiagnosticsListener;
import dev.reprise.cuda.diagnostics.HostFunctionFailure;
import dev.reprise.cuda.diagnostics.Leak;
import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.profile.Profiler;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Launches kernels from PTX on given arguments, one after the other, on device 0.
 *
 * <p>Modules stay loaded from case to case unless a launch could leave something in their
 * variables. A fault poisons the context; all that belongs to it is closed and the next case gets
 * another. Used by one thread.
 */
public final class KernelRunner implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KernelRunner.class);
  private static final int MOST_MODULES = 64;
  private static final int NOT_FOUND = 500;
  private static final int SPINS = 200;

  /** What the software GPU may take to end a kernel that is past the limit. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private final Duration limit;
  private final boolean profiling;
  private final Map<String, CudaModule> modules = new LinkedHashMap<>(16, 0.75f, true);
  private final StringBuffer printed = new StringBuffer();
  private @Nullable Device device;
  private @Nullable Stream stream;

  /** Why nothing can run any more. */
  private @Nullable String stuck;

  /**
   * @param limit what a kernel may take
   * @param profiling whether results tell what the kernels did; on the software GPU only
   */
  public KernelRunner(Duration limit, boolean profiling) {
    this.limit = limit;
    this.profiling = profiling;
  }

  /** A kernel that was given up: it still runs and holds what it uses. */
  private static final class StillRunningException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StillRunningException(String message) {
      super(message);
    }
  }

  /** Runs a case. What goes wrong is in the result. */
  public CaseResult run(KernelCase asked) {
    Optional<Profiler> profiler =
        profiling ? SoftwareDriver.ofProcess().map(SoftwareDriver::profiler) : Optional.empty();
    profiler.ifPresent(Profiler::start);
    CaseResult result = runPlain(asked);
    profiler.ifPresent(Profiler::stop);
    String text = printed.toString();
    printed.setLength(0);
    return result.with(profiler.map(Profiler::kernels).orElse(List.of()), text);
  }

  private CaseResult runPlain(KernelCase asked) {
    if (stuck != null) {
      return CaseResult.failed(asked.name(), "not run: " + stuck, List.of());
    }
    try {
      return CaseResult.done(asked.name(), execute(asked));
    } catch (BadCaseException e) {
      return CaseResult.refused(asked.name(), String.valueOf(e.getMessage()));
    } catch (StillRunningException e) {
      stuck = e.getMessage();
      return CaseResult.failed(asked.name(), String.valueOf(e.getMessage()), List.of());
    } catch (ModuleLoadException e) {
      String log = e.errorLog().isBlank() ? String.valueOf(e.getMessage()) : e.errorLog();
      return CaseResult.failed(asked.name(), e.name() + " (" + e.code() + "): " + log, List.of());
    } catch (CudaException e) {
      return e.contextPoisoned()
          ? lost(asked, e)
          : CaseResult.failed(asked.name(), String.valueOf(e.getMessage()), List.of());
    }
  }

  private CaseResult lost(KernelCase asked, CudaException failure) {
    String code = failure.name() + " (" + failure.code() + ")";
    String why =
        SoftwareDriver.ofProcess()
            .flatMap(SoftwareDriver::lastFault)
            .orElseGet(failure::driverText);
    close();
    return CaseResult.failed(
        asked.name(), code + ": " + why, List.of(new Report(failure.name(), why)));
  }

  private List<String> execute(KernelCase asked) {
    Stream on = stream();
    CudaModule module = module(asked.ptx());
    List<@Nullable DeviceBuffer> buffers = new ArrayList<>();
    boolean ended = true;
    try {
      for (CaseArgument argument : asked.arguments()) {
        buffers.add(buffer(on, buffers.size(), argument));
      }
      PreparedLaunch launch = prepare(asked, module, buffers);
      ended = false;
      on.launch(launch);
      await(on, asked);
      ended = true;
      on.synchronize();
      return outputs(on, asked, buffers);
    } catch (CudaException e) {
      ended = true;
      throw e;
    } finally {
      if (ended) {
        for (DeviceBuffer buffer : buffers) {
          if (buffer != null) {
            buffer.close();
          }
        }
        if (!modules.containsKey(asked.ptx())) {
          module.close();
        }
      }
    }
  }

  private Stream stream() {
    Stream known = stream;
    if (known != null) {
      return known;
    }
    Device opened = Device.open(0, Diagnostics.standard().withListener(new Log()));
    device = opened;
    SoftwareDriver.ofProcess()
        .ifPresent(
            driver -> {
              driver.limitLaunches(limit);
              driver.redirectOutput(printed::append);
            });
    Stream made = opened.createStream("ptx");
    stream = made;
    return made;
  }

  private CudaModule module(String ptx) {
    CudaModule known = modules.get(ptx);
    if (known != null) {
      return known;
    }
    Device on = device;
    if (on == null) {
      throw new IllegalStateException("no device is open");
    }
    CudaModule loaded = on.loadModule("ptx", ptx);
    if (!PtxText.keepsState(ptx)) {
      modules.put(ptx, loaded);
      if (modules.size() > MOST_MODULES) {
        String eldest = modules.keySet().iterator().next();
        CudaModule old = modules.remove(eldest);
        if (old != null) {
          old.close();
        }
      }
    }
    return loaded;
  }

  private @Nullable DeviceBuffer buffer(Stream on, int index, CaseArgument argument) {
    if (!(argument instanceof CaseArgument.Memory memory) || memory.bytes().length == 0) {
      return null;
    }
    Device from = on.device();
    DeviceBuffer buffer =
        from.allocate("argument " + index + " (" + memory.kind() + ")", memory.bytes().length);
    try {
      on.write(MemorySegment.ofArray(memory.bytes()), buffer, 0);
      return buffer;
    } catch (RuntimeException e) {
      buffer.close();
      throw e;
    }
  }

  private static PreparedLaunch prepare(
      KernelCase asked, CudaModule module, List<@Nullable DeviceBuffer> buffers) {
    Kernel kernel;
    try {
      kernel = module.kernel(asked.kernel());
    } catch (CudaException e) {
      if (e.code() == NOT_FOUND) {
        throw PtxText.unknown(asked.ptx(), asked.kernel());
      }
      throw e;
    }
    Signature.check(asked);
    KernelArg[] args = new KernelArg[buffers.size()];
    for (int k = 0; k < args.length; k++) {
      args[k] = argument(asked.arguments().get(k), buffers.get(k));
    }
    Extent grid = asked.grid();
    Extent block = asked.block();
    LaunchConfig config =
        new LaunchConfig(
            grid.x(), grid.y(), grid.z(), block.x(), block.y(), block.z(), asked.sharedBytes());
    try {
      return kernel.prepare(config, args);
    } catch (IllegalArgumentException e) {
      throw new BadCaseException(String.valueOf(e.getMessage()), e);
    }
  }

  private static KernelArg argument(CaseArgument argument, @Nullable DeviceBuffer buffer) {
    return switch (argument) {
      case CaseArgument.Memory memory when buffer == null -> KernelArg.nullPointer();
      case CaseArgument.Memory memory -> KernelArg.readWrite(buffer);
      case CaseArgument.Value value when value.size() == Integer.BYTES ->
          KernelArg.i32((int) value.bits());
      case CaseArgument.Value value -> KernelArg.i64(value.bits());
    };
  }

  private void await(Stream on, KernelCase asked) {
    boolean software = DriverLibrary.current().kind() == DriverLibrary.Kind.SOFTWARE;
    long nanos = software ? limit.plus(GRACE).toNanos() : limit.toNanos();
    long start = System.nanoTime();
    for (int look = 0; !on.isComplete(); look++) {
      if (System.nanoTime() - start > nanos) {
        throw new StillRunningException(
            "kernel "
                + asked.kernel()
                + " of "
                + asked.name()
                + " still runs after "
                + limit.toMillis() / 1000.0
                + " s and the device is not free for others");
      }
      if (look < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(Math.min(1_000_000, look * 100L));
      }
    }
  }

  private static List<String> outputs(
      Stream on, KernelCase asked, List<@Nullable DeviceBuffer> buffers) {
    List<String> outputs = new ArrayList<>();
    for (int k = 0; k < buffers.size(); k++) {
      if (asked.arguments().get(k) instanceof CaseArgument.Memory memory && memory.output()) {
        byte[] bytes = new byte[memory.bytes().length];
        DeviceBuffer buffer = buffers.get(k);
        if (buffer != null) {
          on.read(buffer, 0, MemorySegment.ofArray(bytes));
        }
        outputs.add(HexFormat.of().formatHex(bytes));
      }
    }
    return outputs;
  }

  /** Lets the device go, unless a kernel that was given up still uses it. */
  @Override
  public void close() {
    if (stuck != null) {
      return;
    }
    modules.values().forEach(CudaModule::close);
    modules.clear();
    Stream made = stream;
    Device opened = device;
    stream = null;
    device = null;
    if (made != null) {
      made.close();
    }
    if (opened != null) {
      opened.close();
    }
  }

  /** What is closed on a lost context says so once more; it has been reported. */
  private static final class Log implements DiagnosticsListener {
    @Override
    public void leaked(Leak leak) {
      LOG.warn("{}", leak);
    }

    @Override
    public void cleanupFailed(CleanupFailure failure) {
      LOG.debug("{}", failure);
    }

    @Override
    public void hostFunctionFailed(HostFunctionFailure failure) {
      LOG.warn("{}", failure);
    }
  }
}
