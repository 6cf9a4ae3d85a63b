package dev.reprise.cuda.olddriver;

import dev.reprise.bindings.MissingEntryPointException;
import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EdgeKind;
import dev.reprise.cuda.FillOperation;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.Kernel;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.KernelNode;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/** A process of its own on {@link OldDriver}, which says what it saw. */
final class OldDriverProgram {

  private static final LaunchConfig FOUR = LaunchConfig.of(1, 4);

  private OldDriverProgram() {}

  @SuppressWarnings("SystemOut") // read by the test that started the process
  private static void say(String line) {
    System.out.println(line);
  }

  private static void attempt(String what, Runnable call) {
    try {
      call.run();
      say(what + ": done");
    } catch (MissingEntryPointException e) {
      say("%s: %d %d %s".formatted(what, e.requiredVersion(), e.driverVersion(), e.getMessage()));
    }
  }

  static void main() throws IOException {
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        Stream side = device.createStream("side");
        CudaModule module = device.loadModule("kernels", ptx());
        DeviceBuffer out = device.allocate("out", 16)) {
      say("driver " + device.driverVersion());
      Kernel kernel = module.kernel("fill");
      say("tells parameters: " + kernel.tellsParameters());
      try {
        kernel.prepare(FOUR, KernelArg.write(out));
        say("too few arguments: taken");
      } catch (IllegalArgumentException e) {
        say("too few arguments: " + e.getMessage());
      }

      PreparedLaunch fill =
          kernel.prepare(FOUR, KernelArg.write(out), KernelArg.i32(7), KernelArg.i32(4));
      fill.launch(stream);
      say("eager " + values(stream, out));
      graphs(device, stream, side, fill, out);

      try (Graph graph = device.createGraph("later")) {
        attempt("conditional", () -> graph.conditionalHandle(1));
        attempt("captureInto", () -> stream.captureInto(graph, capture -> fill.launch(stream)));
        KernelNode first = graph.addKernel(fill);
        KernelNode second = graph.addKernel(fill);
        attempt("edge", () -> graph.addEdge(first, second, EdgeKind.PROGRAMMATIC));
        KernelNode third = graph.addKernel(fill);
        graph.addEdge(second, third);
        say("third after " + third.dependencies().size());
        stream.fill32(out, 0, 4, 9);
        say("still usable " + values(stream, out));
      }
    }
  }

  private static void graphs(
      Device device, Stream stream, Stream side, PreparedLaunch fill, DeviceBuffer out) {
    try (Graph captured =
            stream.capture(capture -> {
              fill.launch(stream);
              capture.fork(side);
              side.fill32(out, 0, 1, 3);
              capture.join(side);
            });
        GraphExec exec = captured.instantiate()) {
      exec.upload(stream);
      exec.replay(stream);
      say("captured " + values(stream, out));
    }
    try (Graph built = device.createGraph("built")) {
      KernelNode node = built.addKernel(fill);
      built.addFill(FillOperation.of32(out, 4, 1, 5), node);
      try (GraphExec exec = built.instantiate()) {
        exec.replay(stream);
        say("built " + values(stream, out));
      }
    }
  }

  private static String values(Stream stream, DeviceBuffer buffer) {
    int[] values = new int[4];
    stream.read(buffer, 0, values);
    return Arrays.toString(values);
  }

  private static String ptx() throws IOException {
    try (InputStream in = Device.class.getResourceAsStream("kernels.ptx")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
