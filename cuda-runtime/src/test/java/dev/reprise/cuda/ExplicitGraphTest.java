package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ExplicitGraphTest extends GpuTest {

  @Test
  void runsNodesOfEveryKindInTheOrderOfTheEdges() {
    DeviceBuffer values = ints("values", 0, 0, 0, 0);
    DeviceBuffer copy = ints("copy", 0, 0, 0, 0);
    PinnedBuffer in = device.allocatePinned("in", 16);
    PinnedBuffer out = device.allocatePinned("out", 16);
    in.segment().setAtIndex(JAVA_INT, 2, 40);
    AtomicInteger seen = new AtomicInteger();
    try (Event event = device.createEvent("event");
        Graph child = device.createGraph("child");
        Graph graph = device.createGraph("step")) {
      child.addKernel(increment(values));

      CopyNode upload = graph.addCopy(CopyOperation.toDevice(in, 8, values, 0, 4));
      ChildGraphNode embedded = graph.addChild(child, upload);
      KernelNode kernel = graph.addKernel(increment(values), embedded);
      FillNode fill = graph.addFill(FillOperation.of32(copy, 4, 3, 7), upload);
      EmptyNode both = graph.addEmpty(kernel, fill);
      CopyNode across = graph.addCopy(CopyOperation.onDevice(values, 0, copy, 0, 4), both);
      CopyNode download = graph.addCopy(CopyOperation.toHost(copy, 0, out, 0, 16), across);
      HostNode host = graph.addHost(() -> seen.addAndGet(out.segment().get(JAVA_INT, 0)), download);
      EventRecordNode record = graph.addRecord(event, host);
      EventWaitNode wait = graph.addWait(event);
      graph.addEdge(wait, upload);

      assertThat(graph.nodes())
          .containsExactlyInAnyOrder(
              upload, embedded, kernel, fill, both, across, download, host, record, wait);
      assertThat(graph.nodeCount()).isEqualTo(10);
      assertThat(both.dependencies()).containsExactlyInAnyOrder(kernel, fill);
      assertThat(upload.dependents()).containsExactlyInAnyOrder(embedded, fill);
      assertThat(wait.dependents()).containsExactly(upload);
      assertThat(graph.nodes())
          .extracting(GraphNode::type)
          .contains(
              GraphNodeType.KERNEL,
              GraphNodeType.MEMCPY,
              GraphNodeType.MEMSET,
              GraphNodeType.HOST,
              GraphNodeType.EMPTY,
              GraphNodeType.CHILD_GRAPH,
              GraphNodeType.EVENT_RECORD,
              GraphNodeType.EVENT_WAIT);

      try (GraphExec exec = graph.instantiate()) {
        exec.upload(stream);
        exec.replay(stream);
        exec.replay(stream);
        event.synchronize();
        stream.synchronize();
        assertThat(seen).hasValue(84);
        assertThat(read(copy)).containsExactly(42, 7, 7, 7);
      }
    }
    out.close();
    in.close();
    copy.close();
    values.close();
  }

  @Test
  void tellsTheParametersOfItsNodes() {
    DeviceBuffer buffer = ints("buffer", 0, 0);
    HostFunction function = () -> {};
    try (Graph graph = device.createGraph("graph")) {
      KernelNode kernel = graph.addKernel(fill(buffer, 3, 2));
      FillNode fill = graph.addFill(FillOperation.of16(buffer, 2, 3, (short) -2));
      CopyNode copy = graph.addCopy(CopyOperation.onDevice(buffer, 0, buffer, 4, 4));
      HostNode host = graph.addHost(function);
      assertThat(kernel.kernelName()).hasValue("fill");
      assertThat(kernel.config()).isEqualTo(LaunchConfig.covering(2, 64));
      assertThat(kernel.pointers())
          .singleElement()
          .satisfies(pointer -> {
            assertThat(pointer.operation()).isEqualTo("fill");
            assertThat(pointer.region().label()).isEqualTo("buffer");
            assertThat(pointer.access()).isEqualTo(Access.WRITE);
          });
      assertThat(fill.parameters())
          .isEqualTo(new FillNode.Parameters(buffer.address() + 2, 3, 0xfffe, 2));
      assertThat(copy.bytes()).isEqualTo(4);
      assertThat(copy.pointers()).extracting(CapturedPointer::offset).containsExactly(4L, 0L);
      assertThat(host.function()).containsSame(function);
      assertThat(graph.pointers()).hasSize(4);
      assertThat(graph.regions()).extracting(Region::label).containsExactly("buffer");
    }
    buffer.close();
  }

  @Test
  void listsTheNodesOfACapture() {
    DeviceBuffer buffer = ints("buffer", 0, 0);
    try (Graph graph =
        stream.capture(capture -> {
          fill(buffer, 3, 2).launch(stream);
          stream.fill32(buffer, 0, 1, 9);
          stream.copy(buffer, 0, buffer, 4, 4);
          stream.launchHost(() -> {});
        })) {
      List<GraphNode> nodes = graph.nodes();
      assertThat(nodes)
          .extracting(GraphNode::type)
          .containsExactlyInAnyOrder(
              GraphNodeType.KERNEL, GraphNodeType.MEMSET, GraphNodeType.MEMCPY, GraphNodeType.HOST);
      GraphNode first =
          nodes.stream().filter(node -> node.dependencies().isEmpty()).findFirst().orElseThrow();
      assertThat(first)
          .isInstanceOfSatisfying(
              KernelNode.class, kernel -> assertThat(kernel.kernelName()).hasValue("fill"));
      assertThat(first.dependents()).singleElement().isInstanceOf(FillNode.class);
      assertThat(graph.nodes()).as("the same objects").containsExactlyElementsOf(nodes);
    }
    buffer.close();
  }

  @Test
  void edgesAndNodesCanBeRemoved() {
    DeviceBuffer buffer = ints("buffer", 0);
    try (Graph graph = device.createGraph("graph")) {
      FillNode first = graph.addFill(FillOperation.of32(buffer, 0, 1, 5));
      FillNode second = graph.addFill(FillOperation.of32(buffer, 0, 1, 6), first);
      graph.removeEdge(first, second);
      assertThat(second.dependencies()).isEmpty();
      graph.addEdge(second, first);
      first.remove();
      assertThat(first.isRemoved()).isTrue();
      assertThat(second.dependents()).isEmpty();
      assertThat(graph.nodes()).containsExactly(second);
      assertThatThrownBy(first::dependencies)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("removed");
      assertThatThrownBy(() -> graph.addEmpty(first)).isInstanceOf(IllegalStateException.class);
      try (GraphExec exec = graph.instantiate()) {
        exec.replay(stream);
      }
    }
    assertThat(read(buffer)).containsExactly(6);
    buffer.close();
  }

  @Test
  void nodesCanBeGivenOtherParameters() {
    DeviceBuffer a = ints("a", 0);
    DeviceBuffer b = ints("b", 0);
    AtomicInteger calls = new AtomicInteger();
    try (Graph graph = device.createGraph("graph")) {
      KernelNode kernel = graph.addKernel(increment(a));
      FillNode fill = graph.addFill(FillOperation.of32(a, 0, 1, 5));
      CopyNode copy = graph.addCopy(CopyOperation.onDevice(a, 0, b, 0, 4), kernel, fill);
      HostNode host = graph.addHost(() -> calls.addAndGet(1));
      graph.addEdge(fill, kernel);
      kernel.set(fill(b, 8, 1));
      fill.set(FillOperation.of32(a, 0, 1, 3));
      copy.set(CopyOperation.onDevice(b, 0, a, 0, 4));
      host.set(() -> calls.addAndGet(100));
      try (GraphExec exec = graph.instantiate()) {
        exec.replay(stream);
        assertThat(read(a)).containsExactly(8);
        assertThat(calls).hasValue(100);
      }
    }
    a.close();
    b.close();
  }

  @Test
  void aCopyIsIndependent() {
    DeviceBuffer buffer = ints("buffer", 0);
    Graph graph = device.createGraph("graph");
    KernelNode kernel = graph.addKernel(increment(buffer));
    Graph copy = graph.copy("copy");
    kernel.set(fill(buffer, 50, 1));
    kernel.remove();
    graph.close();
    assertThat(copy.regions()).extracting(Region::label).containsExactly("buffer");
    assertThat(copy.nodes().getFirst().pointers()).hasSize(1);
    try (GraphExec exec = copy.instantiate()) {
      exec.replay(stream);
      assertThat(read(buffer)).containsExactly(1);
    }
    copy.close();
    buffer.close();
  }

  @Test
  void aChildIsACopyWhoseNodesCanBeSeenButNotChanged() {
    DeviceBuffer buffer = ints("buffer", 0);
    try (Graph graph = device.createGraph("graph");
        Graph child = device.createGraph("child")) {
      KernelNode original = child.addKernel(increment(buffer));
      ChildGraphNode node = graph.addChild(child);
      original.remove();
      GraphNode inside = node.nodes().getFirst();
      assertThat(inside).isInstanceOf(KernelNode.class).isNotSameAs(original);
      assertThat(inside.parent()).isSameAs(node);
      assertThatThrownBy(inside::remove)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("inside a child graph");
      assertThatThrownBy(() -> graph.addEmpty(inside)).isInstanceOf(IllegalStateException.class);
      node.remove();
      assertThatThrownBy(inside::dependencies).isInstanceOf(IllegalStateException.class);
    }
    buffer.close();
  }

  @Test
  void refusesWhatCannotBe() {
    DeviceBuffer buffer = ints("buffer", 0);
    Graph graph = device.createGraph("graph");
    Graph other = device.createGraph("other");
    EmptyNode first = graph.addEmpty();
    EmptyNode second = graph.addEmpty(first);
    EmptyNode foreign = other.addEmpty();
    assertThatThrownBy(() -> graph.addEmpty(foreign))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'graph'");
    assertThatThrownBy(() -> graph.addChild(graph)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> graph.addEdge(first, first))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> CopyOperation.onDevice(buffer, 0, buffer, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> FillOperation.of32(buffer, 0, 2, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    graph.addEdge(second, first);
    assertThatThrownBy(graph::instantiate)
        .isInstanceOf(CudaException.class)
        .hasMessageContaining("cycle");
    buffer.close();
    assertThatThrownBy(() -> graph.addFill(FillOperation.of32(buffer, 0, 1, 0)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'buffer'");
    assertThat(graph.nodeCount()).isEqualTo(2);
    other.close();
    graph.close();
    assertThatThrownBy(() -> graph.addEmpty()).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(first::dependencies).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void printsItsNodes() {
    DeviceBuffer buffer = ints("buffer", 0);
    try (Graph graph = device.createGraph("graph")) {
      graph.addKernel(increment(buffer), graph.addEmpty());
      assertThat(graph.toDot()).startsWith("digraph").contains("->");
      assertThat(graph.toDot(DotDetail.KERNELS, DotDetail.HANDLES)).startsWith("digraph");
    }
    buffer.close();
  }

  @Test
  void copiesGoToAndFromRegisteredMemory() {
    // The registration may end after the graph is closed.
    MemorySegment memory = Arena.global().allocateFrom(JAVA_INT, 1, 2, 3, 4, 0, 0, 0, 0);
    try (DeviceBuffer x = device.allocate("x", 16);
        RegisteredMemory host = device.register("host", memory);
        Graph graph = device.createGraph("graph")) {
      CopyNode up = graph.addCopy(CopyOperation.toDevice(host, 0, x, 0, 16));
      KernelNode changed = graph.addKernel(increment(x), up);
      graph.addCopy(CopyOperation.toHost(x, 0, host, 16, 16), changed);
      try (GraphExec exec = graph.instantiate()) {
        exec.replay(stream);
        stream.synchronize();
      }
    }
    assertThat(memory.toArray(JAVA_INT)).containsExactly(1, 2, 3, 4, 2, 2, 3, 4);
  }
}
