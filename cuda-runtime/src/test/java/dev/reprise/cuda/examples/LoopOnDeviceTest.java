package dev.reprise.cuda.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.ConditionalHandle;
import dev.reprise.cuda.ConditionalNode;
import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.FillNode;
import dev.reprise.cuda.FillOperation;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.KernelNode;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Builds a graph node by node, with a loop that the device ends by itself. */
@ExtendWith(EverythingReleased.class)
final class LoopOnDeviceTest {

  @Test
  void aLoopCountsDown() {
    int[] result = new int[1];
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        CudaModule module = device.loadModule("kernels", Ptx.kernels());
        CudaModule conditions = device.loadModule("conditions", Ptx.conditional());
        DeviceBuffer left = device.allocate("left", 4);
        DeviceBuffer rounds = device.allocate("rounds", 4);
        Graph graph = device.createGraph("countdown")) {
      FillNode start = graph.addFill(FillOperation.of32(left, 0, 1, 10));
      FillNode none = graph.addFill(FillOperation.of32(rounds, 0, 1, 0));
      ConditionalHandle more = graph.conditionalHandle(1);
      ConditionalNode loop = graph.addWhile(more, start, none);
      KernelNode round =
          loop.body()
              .addKernel(
                  module
                      .kernel("increment")
                      .prepare(LaunchConfig.of(1, 1), KernelArg.readWrite(rounds)));
      // The kernel sets the condition: whether anything is left.
      loop.body()
          .addKernel(
              conditions
                  .kernel("countDown")
                  .prepare(
                      LaunchConfig.of(1, 1), KernelArg.condition(more), KernelArg.readWrite(left)),
              round);
      try (GraphExec countdown = graph.instantiate()) {
        countdown.replay(stream);
        stream.read(rounds, 0, result);
      }
    }
    assertThat(result).containsExactly(10);
  }
}
