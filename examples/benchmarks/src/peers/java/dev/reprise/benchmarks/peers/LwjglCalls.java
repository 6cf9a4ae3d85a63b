package dev.reprise.benchmarks.peers;

import dev.reprise.benchmarks.calls.CallBenchmark;
import dev.reprise.benchmarks.calls.DriverState;
import dev.reprise.benchmarks.calls.FirstUse;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import org.lwjgl.BufferUtils;
import org.lwjgl.PointerBuffer;
import org.lwjgl.cuda.CU;
import org.openjdk.jmh.annotations.Benchmark;

/** LWJGL, with arguments in native memory that is laid out once. */
public class LwjglCalls extends CallBenchmark implements FirstUse {

  /** A driver library that need have no device. */
  @SuppressWarnings("NullAway.Init")
  public static class Loaded extends DriverState {
    IntBuffer version;

    @Override
    protected void open() {
      version = BufferUtils.createIntBuffer(1);
    }
  }

  /** All that a launch needs, on the stub. */
  @SuppressWarnings("NullAway.Init")
  public static class Opened extends DriverState {
    long context;
    long stream;
    long function;
    long exec;
    IntBuffer position;
    PointerBuffer y;
    PointerBuffer x;
    FloatBuffer factor;
    PointerBuffer arguments;

    @Override
    protected void open() {
      PointerBuffer out = BufferUtils.createPointerBuffer(1);
      succeed(CU.cuInit(0));
      succeed(CU.cuDevicePrimaryCtxRetain(out, 0));
      context = out.get(0);
      succeed(CU.cuCtxSetCurrent(context));
      succeed(CU.cuStreamCreate(out, CU.CU_STREAM_NON_BLOCKING));
      stream = out.get(0);
      ByteBuffer image = BufferUtils.createByteBuffer(1);
      succeed(CU.cuModuleLoadData(out, image));
      long module = out.get(0);
      succeed(CU.cuModuleGetFunction(out, module, "step"));
      function = out.get(0);
      y = BufferUtils.createPointerBuffer(1);
      succeed(CU.cuMemAlloc(y, BYTES));
      x = BufferUtils.createPointerBuffer(1);
      succeed(CU.cuMemAlloc(x, BYTES));
      factor = BufferUtils.createFloatBuffer(1).put(0, 2);
      position = BufferUtils.createIntBuffer(1);
      arguments =
          BufferUtils.createPointerBuffer(4).put(0, y).put(1, x).put(2, factor).put(3, position);
    }

    @Override
    protected void openGraph() {
      PointerBuffer out = BufferUtils.createPointerBuffer(1);
      succeed(CU.cuGraphCreate(out, 0));
      long graph = out.get(0);
      succeed(CU.cuGraphInstantiateWithFlags(out, graph, 0));
      exec = out.get(0);
    }

    int setCurrent() {
      return CU.cuCtxSetCurrent(context);
    }

    int launch() {
      position.put(0, ++launches);
      return CU.cuLaunchKernel(function, BLOCKS, 1, 1, THREADS, 1, 1, 0, stream, arguments, null);
    }

    int graphLaunch() {
      graphLaunches++;
      return CU.cuGraphLaunch(exec, stream);
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
    return CU.cuDriverGetVersion(loaded.version);
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
