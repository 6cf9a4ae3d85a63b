package dev.reprise.benchmarks.calls;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * Reprise's runtime: besides the calls of the driver, a launch is ordered among those of other
 * threads, makes the context current, notes what it uses until when, refuses what is closed and
 * checks the answer; a graph launch also checks that no memory of the graph was let go.
 */
public class RuntimeCalls extends CallBenchmark implements FirstUse {

  /** A launch and a graph that are ready, on the stub. */
  @SuppressWarnings("NullAway.Init")
  public static class Opened extends DriverState {
    Device device;
    Stream stream;
    CudaModule module;
    DeviceBuffer x;
    DeviceBuffer y;
    PreparedLaunch prepared;
    GraphExec exec;

    @Override
    protected void open() {
      device = Device.open(0);
      stream = device.createStream("stream");
      module = device.loadModule("module", "// the stub reads no PTX");
      x = device.allocate("x", BYTES);
      y = device.allocate("y", BYTES);
      prepared =
          module
              .kernel("step")
              .prepare(
                  LaunchConfig.of(BLOCKS, THREADS),
                  KernelArg.write(y),
                  KernelArg.read(x),
                  KernelArg.f32(2),
                  KernelArg.i32(0));
    }

    @Override
    protected void openGraph() {
      // The stub takes a launch in a capture for a launch.
      try (Graph graph = stream.capture(capture -> launch())) {
        exec = graph.instantiate();
      }
    }

    void launch() {
      prepared.setI32(3, ++launches);
      prepared.launch(stream);
    }

    void graphLaunch() {
      graphLaunches++;
      exec.replay(stream);
    }

    @Override
    protected void close() {
      exec.close();
      y.close();
      x.close();
      module.close();
      stream.close();
      device.close();
    }
  }

  /** Through the bindings: without a device there is no runtime. */
  @Override
  public void call() {
    BindingsCalls.Loaded loaded = new BindingsCalls.Loaded();
    loaded.loadAndOpen();
    DriverState.succeed(cuda_h.cuDriverGetVersion(loaded.version));
  }

  @Override
  public void launch() {
    Opened opened = new Opened();
    opened.loadAndOpen();
    opened.launch();
  }

  /** {@link PreparedLaunch#launch} with one argument changed. */
  @Benchmark
  public void launch(Opened opened) {
    opened.launch();
  }

  /** {@link GraphExec#replay}. */
  @Benchmark
  public void graphLaunch(Opened opened) {
    opened.graphLaunch();
  }
}
