package dev.reprise.benchmarks.calls;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jmh.annotations.Benchmark;

/** Reprise's generated bindings, called directly. */
public class BindingsCalls extends CallBenchmark {

  /** A driver library that need have no device. */
  @SuppressWarnings("NullAway.Init")
  public static class Loaded extends DriverState {
    MemorySegment version;

    @Override
    protected void open() {
      version = Arena.ofAuto().allocate(JAVA_INT);
    }
  }

  /** All that a launch needs, on the stub. */
  @SuppressWarnings("NullAway.Init")
  public static class Opened extends DriverState {
    MemorySegment context;
    MemorySegment stream;
    MemorySegment function;
    MemorySegment exec;
    MemorySegment position;
    MemorySegment arguments;

    @Override
    protected void open() {
      Arena arena = Arena.ofAuto();
      MemorySegment out = arena.allocate(ADDRESS);
      succeed(cuda_h.cuInit(0));
      succeed(cuda_h.cuDevicePrimaryCtxRetain(out, 0));
      context = out.get(ADDRESS, 0);
      succeed(cuda_h.cuCtxSetCurrent(context));
      succeed(cuda_h.cuStreamCreate(out, cuda_h.CU_STREAM_NON_BLOCKING()));
      stream = out.get(ADDRESS, 0);
      succeed(cuda_h.cuModuleLoadData(out, arena.allocateFrom("")));
      MemorySegment module = out.get(ADDRESS, 0);
      succeed(cuda_h.cuModuleGetFunction(out, module, arena.allocateFrom("step")));
      function = out.get(ADDRESS, 0);
      MemorySegment y = arena.allocate(JAVA_LONG);
      succeed(cuda_h.cuMemAlloc_v2(y, BYTES));
      MemorySegment x = arena.allocate(JAVA_LONG);
      succeed(cuda_h.cuMemAlloc_v2(x, BYTES));
      MemorySegment factor = arena.allocateFrom(JAVA_FLOAT, 2);
      position = arena.allocate(JAVA_INT);
      arguments = arena.allocate(ADDRESS, 4);
      arguments.setAtIndex(ADDRESS, 0, y);
      arguments.setAtIndex(ADDRESS, 1, x);
      arguments.setAtIndex(ADDRESS, 2, factor);
      arguments.setAtIndex(ADDRESS, 3, position);
    }

    @Override
    protected void openGraph() {
      MemorySegment out = Arena.ofAuto().allocate(ADDRESS);
      succeed(cuda_h.cuGraphCreate(out, 0));
      MemorySegment graph = out.get(ADDRESS, 0);
      succeed(cuda_h.cuGraphInstantiateWithFlags(out, graph, 0));
      exec = out.get(ADDRESS, 0);
    }

    int setCurrent() {
      return cuda_h.cuCtxSetCurrent(context);
    }

    int launch() {
      position.set(JAVA_INT, 0, ++launches);
      return cuda_h.cuLaunchKernel(
          function, BLOCKS, 1, 1, THREADS, 1, 1, 0, stream, arguments, MemorySegment.NULL);
    }

    int graphLaunch() {
      graphLaunches++;
      return cuda_h.cuGraphLaunch(exec, stream);
    }
  }

  /** {@code cuDriverGetVersion}. */
  @Benchmark
  public int downcall(Loaded loaded) {
    return cuda_h.cuDriverGetVersion(loaded.version);
  }

  /** {@code cuLaunchKernel} with one argument changed. */
  @Benchmark
  public int launch(Opened opened) {
    return opened.launch();
  }

  /** As {@link #launch}, after {@code cuCtxSetCurrent}. */
  @Benchmark
  public int launchWithCurrent(Opened opened) {
    return opened.setCurrent() | opened.launch();
  }

  /** {@code cuGraphLaunch}. */
  @Benchmark
  public int graphLaunch(Opened opened) {
    return opened.graphLaunch();
  }

  /** As {@link #graphLaunch}, after {@code cuCtxSetCurrent}. */
  @Benchmark
  public int graphLaunchWithCurrent(Opened opened) {
    return opened.setCurrent() | opened.graphLaunch();
  }
}
