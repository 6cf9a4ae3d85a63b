package dev.reprise.benchmarks.peers;

import dev.reprise.benchmarks.calls.CallBenchmark;
import dev.reprise.benchmarks.calls.DriverState;
import dev.reprise.benchmarks.calls.FirstUse;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.openjdk.jmh.annotations.Benchmark;

/** JCuda, with arguments as its documentation shows: arrays behind pointers that are made once. */
public class JCudaCalls extends CallBenchmark implements FirstUse {

  /** A driver library that need have no device. */
  @SuppressWarnings("NullAway.Init")
  public static class Loaded extends DriverState {
    int[] version;

    @Override
    protected void open() {
      version = new int[1];
    }
  }

  /** All that a launch needs, on the stub. */
  @SuppressWarnings("NullAway.Init")
  public static class Opened extends DriverState {
    CUcontext context;
    CUstream stream;
    CUfunction function;
    CUgraphExec exec;
    int[] position;
    Pointer arguments;

    @Override
    protected void open() {
      succeed(JCudaDriver.cuInit(0));
      CUdevice device = new CUdevice();
      succeed(JCudaDriver.cuDeviceGet(device, 0));
      context = new CUcontext();
      succeed(JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
      succeed(JCudaDriver.cuCtxSetCurrent(context));
      stream = new CUstream();
      succeed(JCudaDriver.cuStreamCreate(stream, 1));
      CUmodule module = new CUmodule();
      succeed(JCudaDriver.cuModuleLoadData(module, new byte[1]));
      function = new CUfunction();
      succeed(JCudaDriver.cuModuleGetFunction(function, module, "step"));
      CUdeviceptr y = new CUdeviceptr();
      succeed(JCudaDriver.cuMemAlloc(y, BYTES));
      CUdeviceptr x = new CUdeviceptr();
      succeed(JCudaDriver.cuMemAlloc(x, BYTES));
      position = new int[1];
      arguments =
          Pointer.to(
              Pointer.to(y), Pointer.to(x), Pointer.to(new float[] {2}), Pointer.to(position));
    }

    @Override
    protected void openGraph() {
      CUgraph graph = new CUgraph();
      succeed(JCudaDriver.cuGraphCreate(graph, 0));
      exec = new CUgraphExec();
      succeed(JCudaDriver.cuGraphInstantiate(exec, graph, 0));
    }

    int setCurrent() {
      return JCudaDriver.cuCtxSetCurrent(context);
    }

    int launch() {
      position[0] = ++launches;
      return JCudaDriver.cuLaunchKernel(
          function, BLOCKS, 1, 1, THREADS, 1, 1, 0, stream, arguments, null);
    }

    int graphLaunch() {
      graphLaunches++;
      return JCudaDriver.cuGraphLaunch(exec, stream);
    }
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
    return JCudaDriver.cuDriverGetVersion(loaded.version);
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
