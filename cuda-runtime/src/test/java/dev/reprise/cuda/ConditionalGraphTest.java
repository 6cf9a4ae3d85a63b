package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Conditional nodes, their handles and their bodies. */
final class ConditionalGraphTest extends GpuTest {

  private CudaModule conditions;

  @SuppressWarnings("NullAway.Init") // set before each test
  ConditionalGraphTest() {}

  @BeforeEach
  void load() {
    try (InputStream in = ConditionalGraphTest.class.getResourceAsStream("conditional.ptx")) {
      byte[] text = Objects.requireNonNull(in).readAllBytes();
      conditions = device.loadModule("conditions", new String(text, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @AfterEach
  void unload() {
    conditions.close();
  }

  private PreparedLaunch decide(ConditionalHandle handle, DeviceBuffer value) {
    return conditions
        .kernel("decide")
        .prepare(LaunchConfig.of(1, 1), KernelArg.condition(handle), KernelArg.read(value));
  }

  private PreparedLaunch countDown(ConditionalHandle handle, DeviceBuffer left) {
    return conditions
        .kernel("countDown")
        .prepare(LaunchConfig.of(1, 1), KernelArg.condition(handle), KernelArg.readWrite(left));
  }

  private void replay(Graph graph) {
    try (GraphExec exec = graph.instantiate()) {
      exec.replay(stream);
      stream.synchronize();
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 100", "1, 1", "-1, 1"})
  void anIfRunsOneOfItsBodies(int value, int expected) {
    DeviceBuffer decision = ints("decision", value);
    DeviceBuffer result = ints("result", 0);
    try (Graph graph = device.createGraph("graph")) {
      ConditionalHandle handle = graph.conditionalHandle();
      KernelNode first = graph.addKernel(decide(handle, decision));
      ConditionalNode node = graph.addIfElse(handle, first);
      assertThat(node.type()).isEqualTo(GraphNodeType.CONDITIONAL);
      assertThat(node.dependencies()).containsExactly(first);
      assertThat(graph.nodes()).containsExactlyInAnyOrder(first, node);
      node.bodies().get(0).addKernel(fill(result, 1, 1));
      node.bodies().get(1).addKernel(fill(result, 100, 1));
      replay(graph);
      assertThat(read(result)).containsExactly(expected);
    }
    decision.close();
    result.close();
  }

  @ParameterizedTest
  @CsvSource({"0, 10", "2, 12", "3, 0"})
  void aSwitchRunsTheBodyOfTheValue(int value, int expected) {
    DeviceBuffer result = ints("result", 0);
    try (Graph graph = device.createGraph("graph")) {
      ConditionalHandle handle = graph.conditionalHandle(value);
      assertThat(handle.defaultValue()).hasValue(value);
      ConditionalNode node = graph.addSwitch(handle, 3);
      for (int i = 0; i < 3; i++) {
        node.bodies().get(i).addKernel(fill(result, 10 + i, 1));
      }
      replay(graph);
      assertThat(read(result)).containsExactly(expected);
    }
    result.close();
  }

  @Test
  void aLoopRunsWhatWasCapturedIntoItsBody() {
    DeviceBuffer left = ints("left", 50);
    DeviceBuffer runs = ints("runs", 0);
    try (Stream side = device.createStream("side");
        Graph graph = device.createGraph("graph")) {
      ConditionalHandle handle = graph.conditionalHandle(1);
      ConditionalNode loop = graph.addWhile(handle);
      KernelNode first = loop.body().addKernel(increment(runs));
      PreparedLaunch down = countDown(handle, left);
      var added =
          stream.captureInto(
              loop.body(),
              capture -> {
                capture.fork(side);
                increment(runs).launch(side);
                capture.join(side);
                down.launch(stream);
              },
              first);
      assertThat(added)
          .hasSize(2)
          .allSatisfy(node -> {
            assertThat(node).isInstanceOf(KernelNode.class);
            assertThat(node.graph()).isSameAs(loop.body());
          });
      assertThat(loop.body().nodes()).hasSize(3);
      assertThat(first.dependents()).containsExactlyInAnyOrderElementsOf(added);
      assertThat(loop.body().pointers()).hasSize(3);
      assertThat(graph.pointers()).containsExactlyElementsOf(loop.body().pointers());
      replay(graph);
      assertThat(read(left)).containsExactly(0);
      assertThat(read(runs)).containsExactly(100);
    }
    left.close();
    runs.close();
  }

  @Test
  void conditionalsNest() {
    DeviceBuffer outerLeft = ints("outer", 3);
    DeviceBuffer innerLeft = ints("inner", 0);
    DeviceBuffer four = ints("four", 4);
    DeviceBuffer one = ints("one", 1);
    DeviceBuffer runs = ints("runs", 0);
    try (Graph graph = device.createGraph("graph")) {
      ConditionalHandle outer = graph.conditionalHandle(1);
      ConditionalNode loop = graph.addWhile(outer);
      Graph body = loop.body();
      ConditionalHandle inner = body.conditionalHandle();
      CopyNode reset = body.addCopy(CopyOperation.onDevice(four, 0, innerLeft, 0, 4));
      KernelNode again = body.addKernel(decide(inner, one), reset);
      ConditionalNode innerLoop = body.addWhile(inner, again);
      innerLoop
          .body()
          .addKernel(countDown(inner, innerLeft), innerLoop.body().addKernel(increment(runs)));
      body.addKernel(countDown(outer, outerLeft), innerLoop);
      assertThat(innerLoop.body().holder()).isSameAs(innerLoop);
      replay(graph);
      assertThat(read(runs)).containsExactly(12);
      assertThatThrownBy(() -> graph.addIf(inner))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("was not made for graph 'graph'");
    }
    for (DeviceBuffer buffer : new DeviceBuffer[] {outerLeft, innerLeft, four, one, runs}) {
      buffer.close();
    }
  }

  @Test
  void bodiesCannotBeClosedCopiedOrRun() {
    try (Graph graph = device.createGraph("graph");
        Graph other = device.createGraph("other")) {
      Graph body = graph.addIf(graph.conditionalHandle(1)).body();
      assertThatThrownBy(body::close).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> body.copy("copy")).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(body::instantiate).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> other.addChild(body))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("belongs to a conditional node");
      assertThat(body.nodeCount()).isZero();
      assertThat(body.toDot()).startsWith("digraph");
    }
  }

  @Test
  void bodiesHoldNoHostFunctionsAndNoEvents() {
    try (Event event = device.createEvent("event");
        Graph graph = device.createGraph("graph")) {
      Graph body = graph.addIf(graph.conditionalHandle(1)).body();
      assertThatThrownBy(() -> body.addHost(() -> {}))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("cannot hold a host function");
      assertThatThrownBy(() -> body.addRecord(event)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> body.addWait(event)).isInstanceOf(IllegalStateException.class);
      assertThat(body.nodes()).isEmpty();
    }
  }

  @Test
  void aFailedCaptureLeavesTheBodyAsItWas() {
    DeviceBuffer counter = ints("counter", 0);
    try (Graph graph = device.createGraph("graph")) {
      Graph body = graph.addIf(graph.conditionalHandle(1)).body();
      KernelNode before = body.addKernel(increment(counter));
      assertThatThrownBy(() ->
              stream.captureInto(
                  body,
                  capture -> {
                    increment(counter).launch(stream);
                    stream.launchHost(() -> {});
                  },
                  before))
          .isInstanceOfSatisfying(
              CudaException.class, e -> assertThat(e.function()).isEqualTo("cuLaunchHostFunc"));
      assertThat(body.nodes()).containsExactly(before);
      assertThat(graph.pointers()).hasSize(1);
      assertThat(stream.isCapturing()).isFalse();
      replay(graph);
      assertThat(read(counter)).containsExactly(1);
    }
    counter.close();
  }

  @Test
  void aGraphIsTheCapturingThreadsAlone() throws Exception {
    DeviceBuffer counter = ints("counter", 0);
    try (Graph graph = device.createGraph("graph")) {
      Graph body = graph.addIf(graph.conditionalHandle(1)).body();
      stream.captureInto(
          body,
          capture -> {
            increment(counter).launch(stream);
            for (Graph one : new Graph[] {graph, body}) {
              Throwable[] thrown = new Throwable[1];
              Thread other =
                  Thread.ofPlatform()
                      .uncaughtExceptionHandler((dead, cause) -> thrown[0] = cause)
                      .start(one::addEmpty);
              try {
                other.join();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              assertThat(thrown[0])
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("captures into graph");
            }
          });
      body.addEmpty();
      assertThat(body.nodes()).hasSize(2);
    }
    counter.close();
  }

  @Test
  void theGraphAndItsExecOwnWhatBodiesUse() {
    DeviceBuffer added = ints("added", 0);
    DeviceBuffer captured = ints("captured", 0);
    Graph graph = device.createGraph("graph");
    Graph body = graph.addIf(graph.conditionalHandle(1)).body();
    body.addKernel(increment(added));
    stream.captureInto(body, capture -> increment(captured).launch(stream));
    GraphExec exec = graph.instantiate();
    graph.close();
    assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(2);
    added.close();
    captured.close();
    assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(2);
    assertThatThrownBy(() -> exec.replay(stream)).isInstanceOf(StaleGraphException.class);
    exec.close();
    assertThat(live(ResourceKind.DEVICE_BUFFER)).isZero();
    assertThatThrownBy(body::nodes).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void removingANodeLetsGoOfItsBodies() {
    DeviceBuffer buffer = ints("buffer", 0);
    try (Graph graph = device.createGraph("graph")) {
      ConditionalHandle handle = graph.conditionalHandle(1);
      ConditionalNode node = graph.addIf(handle);
      KernelNode inside = node.body().addKernel(increment(buffer));
      buffer.close();
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
      node.remove();
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isZero();
      assertThat(inside.isRemoved()).isTrue();
      assertThatThrownBy(() -> node.body().addEmpty())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("went with the conditional node");
      assertThatThrownBy(inside::config).isInstanceOf(IllegalStateException.class);
      graph.addIf(handle);
    }
  }

  @Test
  void anExecIsUpdatedIntoItsBodies() {
    DeviceBuffer left = ints("left", 2);
    DeviceBuffer runs = ints("runs", 0);
    DeviceBuffer other = ints("other", 0);
    try (Graph graph = loop(left, runs);
        Graph second = loop(left, other);
        Graph shorter = device.createGraph("shorter");
        GraphExec exec = graph.instantiate()) {
      assertThatThrownBy(graph::instantiate)
          .isInstanceOfSatisfying(
              CudaException.class, e -> assertThat(e.name()).isEqualTo("CUDA_ERROR_NOT_SUPPORTED"));
      exec.replay(stream);
      assertThat(read(runs)).containsExactly(2);
      assertThat(exec.update(second).updated()).isTrue();
      stream.write(MemorySegment.ofArray(new int[] {3}), left, 0);
      exec.replay(stream);
      assertThat(read(runs)).containsExactly(2);
      assertThat(read(other)).containsExactly(3);

      ConditionalHandle handle = shorter.conditionalHandle(1);
      KernelNode only = shorter.addWhile(handle).body().addKernel(countDown(handle, left));
      GraphUpdateResult result = exec.update(shorter);
      assertThat(result.reason()).isEqualTo(GraphUpdateResult.Reason.TOPOLOGY_CHANGED);
      only.remove();
    }
    left.close();
    runs.close();
    other.close();
  }

  private Graph loop(DeviceBuffer left, DeviceBuffer runs) {
    Graph graph = device.createGraph("loop");
    ConditionalHandle handle = graph.conditionalHandle(1);
    Graph body = graph.addWhile(handle).body();
    body.addKernel(countDown(handle, left), body.addKernel(increment(runs)));
    return graph;
  }

  @Test
  void nodesInsideOfBodiesAreSetAndSwitched() {
    DeviceBuffer first = ints("first", 0);
    DeviceBuffer second = ints("second", 0);
    try (Graph graph = device.createGraph("graph")) {
      Graph body = graph.addIf(graph.conditionalHandle(1)).body();
      KernelNode node = body.addKernel(increment(first));
      try (GraphExec exec = graph.instantiate()) {
        exec.set(node, increment(second));
        exec.replay(stream);
        assertThat(read(second)).containsExactly(1);
        exec.setEnabled(node, false);
        exec.replay(stream);
        assertThat(read(second)).containsExactly(1);
        assertThat(read(first)).containsExactly(0);
      }
      node.set(increment(second));
      replay(graph);
      assertThat(read(second)).containsExactly(2);
    }
    first.close();
    second.close();
  }

  @Test
  void anUnusedHandleIsNamedAsTheReason() {
    try (Graph graph = device.createGraph("graph")) {
      graph.conditionalHandle();
      assertThatThrownBy(graph::instantiate)
          .isInstanceOf(CudaException.class)
          .hasMessageContaining("a conditional handle is not used");
    }
  }
}
