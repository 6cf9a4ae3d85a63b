package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Attributes of kernel nodes and kinds of edges. */
final class KernelNodeAttributesTest extends GpuTest {

  private PreparedLaunch increment(DeviceBuffer counter, LaunchAttributes attributes, int grid) {
    return module
        .kernel("increment")
        .prepare(LaunchConfig.of(grid, 1), attributes, KernelArg.readWrite(counter));
  }

  @Test
  void aNodeHasTheAttributesOfItsLaunch() {
    DeviceBuffer counter = ints("counter", 0);
    LaunchAttributes attributes = LaunchAttributes.COOPERATIVE.withPriority(-1);
    try (Graph graph = device.createGraph("graph")) {
      KernelNode node = graph.addKernel(increment(counter, attributes, 1));
      assertThat(node.attributes()).isEqualTo(attributes);
      node.set(increment(counter));
      assertThat(node.attributes()).isEqualTo(LaunchAttributes.NONE);
      node.set(increment(counter, attributes, 1));
      assertThat(node.attributes()).isEqualTo(attributes);
      try (Graph copy = graph.copy("copy");
          GraphExec exec = copy.instantiate()) {
        assertThat(copy.nodes())
            .singleElement()
            .satisfies(
                copied -> assertThat(((KernelNode) copied).attributes()).isEqualTo(attributes));
        exec.replay(stream);
        assertThat(read(counter)).containsExactly(1);
      }
    }
    counter.close();
  }

  @Test
  void argumentsOfFourBytesAreToldAsTheNodeKeepsThem() {
    DeviceBuffer out = ints("out", 4);
    try (Graph graph = device.createGraph("graph")) {
      PreparedLaunch launch =
          module
              .kernel("fill")
              .prepare(
                  LaunchConfig.of(1, 4), KernelArg.write(out), KernelArg.i32(-7), KernelArg.i32(4));
      KernelNode node = graph.addKernel(launch);
      launch.setI32(1, 8);
      assertThat(node.argument(1)).as("the node has what was given first").hasValue(-7);
      assertThat(node.argument(2)).hasValue(4);
      node.set(launch);
      assertThat(node.argument(1)).hasValue(8);
      for (int index : new int[] {-1, 0, 3}) {
        assertThatThrownBy(() -> node.argument(index))
            .as("argument %d", index)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage(
                "Argument %d is no number of 4 bytes; the sizes of the kernel's arguments are [8, 4, 4].",
                index);
      }
    }
    out.close();
  }

  @Test
  void attributesThatDoNotFitLeaveNothingBehind() {
    DeviceBuffer counter = ints("counter", 0);
    PreparedLaunch tooLarge = increment(counter, LaunchAttributes.COOPERATIVE, 1 << 20);
    PreparedLaunch cluster = increment(counter, LaunchAttributes.NONE.withCluster(2, 1, 1), 3);
    try (Graph graph = device.createGraph("graph")) {
      for (PreparedLaunch launch : new PreparedLaunch[] {tooLarge, cluster}) {
        assertThatThrownBy(() -> graph.addKernel(launch)).isInstanceOf(CudaException.class);
        assertThat(graph.nodeCount()).isZero();
        assertThat(graph.pointers()).isEmpty();
      }
      LaunchAttributes attributes = LaunchAttributes.COOPERATIVE.withPriority(-1);
      KernelNode node = graph.addKernel(increment(counter, attributes, 1));
      for (PreparedLaunch launch : new PreparedLaunch[] {tooLarge, cluster}) {
        assertThatThrownBy(() -> node.set(launch)).isInstanceOf(CudaException.class);
        assertThat(node.attributes()).isEqualTo(attributes);
        assertThat(node.config()).isEqualTo(LaunchConfig.of(1, 1));
      }
      assertThatThrownBy(() ->
              graph.addKernel(
                  increment(counter, LaunchAttributes.NONE.withProgrammaticSerialization(), 1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("an edge of kind PROGRAMMATIC");
    }
    counter.close();
  }

  @Test
  void anExecKeepsTheAttributesOfItsNodes() {
    DeviceBuffer counter = ints("counter", 0);
    DeviceBuffer other = ints("other", 0);
    LaunchAttributes attributes = LaunchAttributes.NONE.withPriority(-1);
    try (Graph graph = device.createGraph("graph")) {
      KernelNode node = graph.addKernel(increment(counter, attributes, 1));
      try (GraphExec exec = graph.instantiate()) {
        exec.set(node, increment(other));
        exec.set(node, increment(other, attributes, 1));
        assertThatThrownBy(() -> exec.set(node, increment(other, LaunchAttributes.COOPERATIVE, 1)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("cannot change");
        exec.replay(stream);
        assertThat(read(other)).containsExactly(1);
      }
    }
    counter.close();
    other.close();
  }

  @Test
  void anUpdateCannotMakeAKernelCooperative() {
    DeviceBuffer counter = ints("counter", 0);
    try (Graph plain = device.createGraph("plain");
        Graph cooperative = device.createGraph("cooperative")) {
      plain.addKernel(increment(counter));
      KernelNode node = cooperative.addKernel(increment(counter, LaunchAttributes.COOPERATIVE, 1));
      try (GraphExec exec = plain.instantiate()) {
        GraphUpdateResult result = exec.update(cooperative);
        assertThat(result.reason()).isEqualTo(GraphUpdateResult.Reason.ATTRIBUTES_CHANGED);
        assertThat(result.node()).isSameAs(node);
      }
    }
    counter.close();
  }

  @Test
  void edgesKeepTheirKind() {
    DeviceBuffer counter = ints("counter", 0);
    try (Graph graph = device.createGraph("graph")) {
      KernelNode first = graph.addKernel(increment(counter));
      KernelNode second = graph.addKernel(increment(counter));
      EmptyNode last = graph.addEmpty(second);
      for (EdgeKind kind : EdgeKind.values()) {
        graph.addEdge(first, second, kind);
        assertThat(second.incoming()).containsExactly(new GraphEdge(first, second, kind));
        assertThat(second.dependencies()).containsExactly(first);
        assertThat(first.dependents()).containsExactly(second);
        graph.removeEdge(first, second);
        assertThat(second.incoming()).isEmpty();
      }
      assertThat(last.incoming()).containsExactly(new GraphEdge(second, last, EdgeKind.FULL));
      assertThatThrownBy(() -> graph.addEdge(last, first, EdgeKind.PROGRAMMATIC))
          .isInstanceOf(CudaException.class);
      graph.addEdge(first, second, EdgeKind.PROGRAMMATIC);
      try (GraphExec exec = graph.instantiate()) {
        exec.replay(stream);
        assertThat(read(counter)).containsExactly(2);
      }
    }
    counter.close();
  }
}
