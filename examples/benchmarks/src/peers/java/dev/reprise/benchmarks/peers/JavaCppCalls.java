package dev.reprise.benchmarks.peers;

import dev.reprise.benchmarks.calls.CallBenchmark;
import dev.reprise.benchmarks.calls.CalledDriver;
import dev.reprise.benchmarks.calls.DriverState;
import dev.reprise.benchmarks.calls.FirstUse;
import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUgraphExec_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.openjdk.jmh.annotations.Benchmark;

/** JavaCPP's presets, with arguments in native memory that is laid out once. */
public class JavaCppCalls extends CallBenchmark implements FirstUse {

  /** A driver library that need have no device. */
  @SuppressWarnings("NullAway.Init")
  public static class Loaded extends DriverState {
    IntPointer version;

    @Override
    protected void open() {
      loadRuntimeApi();
      version = new IntPointer(1);
    }
  }

  /** All that a launch needs, on the stub. */
  @SuppressWarnings("NullAway.Init")
  public static class Opened extends DriverState {
    CUctx_st context;
    CUstream_st stream;
    CUfunc_st function;
    CUgraphExec_st exec;
    IntPointer position;
    PointerPointer<Pointer> arguments;

    @Override
    protected void open() {
      loadRuntimeApi();
      succeed(cudart.cuInit(0));
      context = new CUctx_st();
      succeed(cudart.cuDevicePrimaryCtxRetain(context, 0));
      succeed(cudart.cuCtxSetCurrent(context));
      stream = new CUstream_st();
      succeed(cudart.cuStreamCreate(stream, cudart.CU_STREAM_NON_BLOCKING));
      CUmod_st module = new CUmod_st();
      succeed(cudart.cuModuleLoadData(module, new BytePointer("")));
      function = new CUfunc_st();
      succeed(cudart.cuModuleGetFunction(function, module, "step"));
      LongPointer y = new LongPointer(1);
      succeed(cudart.cuMemAlloc(y, BYTES));
      LongPointer x = new LongPointer(1);
      succeed(cudart.cuMemAlloc(x, BYTES));
      position = new IntPointer(1);
      arguments = new PointerPointer<>(y, x, new FloatPointer(new float[] {2}), position);
    }

    @Override
    protected void openGraph() {
      CUgraph_st graph = new CUgraph_st();
      succeed(cudart.cuGraphCreate(graph, 0));
      exec = new CUgraphExec_st();
      succeed(cudart.cuGraphInstantiate(exec, graph, 0));
    }

    int setCurrent() {
      return cudart.cuCtxSetCurrent(context);
    }

    int launch() {
      position.put(++launches);
      return cudart.cuLaunchKernel(
          function, BLOCKS, 1, 1, THREADS, 1, 1, 0, stream, arguments, (PointerPointer<?>) null);
    }

    int graphLaunch() {
      graphLaunches++;
      return cudart.cuGraphLaunch(exec, stream);
    }
  }

  /** The presets hold the runtime API too, and do not load without its library. */
  static void loadRuntimeApi() {
    System.load(CalledDriver.path(CalledDriver.RUNTIME_API).toString());
  }

  @Override
  public void call() {
    Loaded loaded = new Loaded();
    loaded.loadAndOpen();
    DriverState.succeed(downcall(loaded));
  }

  @Override
  public void launch() {
    Opened opened = new Opened();
    opened.loadAndOpen();
    DriverState.succeed(opened.launch());
  }

  /** {@code cuDriverGetVersion}. */
  @Benchmark
  public int downcall(Loaded loaded) {
    return cudart.cuDriverGetVersion(loaded.version);
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
