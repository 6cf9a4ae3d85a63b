package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Updates, parameters and switches of executable graphs, and what is owned meanwhile. */
final class GraphExecChangeTest extends GpuTest {

  @Test
  void anUpdateRunsTheOtherGraphAndOwnsWhatItUses() {
    DeviceBuffer a = ints("a", 0);
    DeviceBuffer b = ints("b", 0);
    Graph first = stream.capture("first", capture -> increment(a).launch(stream));
    Graph second = stream.capture("second", capture -> increment(b).launch(stream));
    GraphExec exec = first.instantiate();
    first.close();
    exec.replay(stream);
    GraphUpdateResult result = exec.update(second);
    assertThat(result.updated()).as(result.describe()).isTrue();
    second.close();
    exec.replay(stream);
    assertThat(read(a)).containsExactly(1);
    assertThat(read(b)).containsExactly(1);
    assertThat(exec.regions()).extracting(Region::label).containsExactly("b");

    // Nothing refers to the one any more; the exec keeps the other.
    a.close();
    Eventually.isTrue("a released", () -> live(ResourceKind.DEVICE_BUFFER) == 1);
    exec.replay(stream);
    assertThat(read(b)).containsExactly(2);
    b.close();
    assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
    assertThatThrownBy(() -> exec.replay(stream))
        .isInstanceOfSatisfying(
            StaleGraphException.class, e -> assertThat(e.region()).isEqualTo("b"));
    exec.close();
    Eventually.isTrue("b released", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
  }

  @Test
  void whatAReplayInFlightUsesOutlivesAnUpdate() {
    DeviceBuffer a = ints("a", 0);
    DeviceBuffer b = ints("b", 0);
    Graph first = stream.capture(capture -> increment(a).launch(stream));
    Graph second = stream.capture(capture -> increment(b).launch(stream));
    GraphExec exec = first.instantiate();
    first.close();
    // So that the captures do not count as uses still to come.
    stream.synchronize();
    try (Gate gate = new Gate(stream)) {
      exec.replay(stream);
      // Only the exec keeps it, and only for the replay that waits.
      a.close();
      assertThat(exec.update(second).updated()).isTrue();
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(2);
      gate.letGoAndWait(stream);
    }
    Eventually.isTrue("a released", () -> live(ResourceKind.DEVICE_BUFFER) == 1);
    second.close();
    exec.close();
    b.close();
  }

  @Test
  void whatAReplayInFlightUsesOutlivesOtherParameters() {
    DeviceBuffer a = ints("a", 0);
    DeviceBuffer b = ints("b", 0);
    Graph graph = device.createGraph("graph");
    KernelNode kernel = graph.addKernel(increment(a));
    GraphExec exec = graph.instantiate();
    kernel.set(increment(b));
    try (Gate gate = new Gate(stream)) {
      exec.replay(stream);
      exec.set(kernel, increment(b));
      a.close();
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(2);
      exec.replay(stream);
      gate.letGoAndWait(stream);
    }
    Eventually.isTrue("a released", () -> live(ResourceKind.DEVICE_BUFFER) == 1);
    assertThat(read(b)).containsExactly(1);
    exec.close();
    graph.close();
    b.close();
  }

  @Test
  void aFailedUpdateSaysWhyAndChangesNothing() {
    DeviceBuffer a = ints("a", 0);
    DeviceBuffer b = ints("b", 0);
    try (Graph graph = device.createGraph("graph");
        Graph longer = device.createGraph("longer");
        Graph other = device.createGraph("other");
        Graph unordered = device.createGraph("unordered")) {
      graph.addFill(FillOperation.of32(a, 0, 1, 0), graph.addKernel(increment(a)));
      longer.addKernel(increment(b));
      longer.addEmpty();
      longer.addEmpty();
      EmptyNode empty = other.addEmpty(other.addKernel(increment(b)));
      KernelNode kernel = unordered.addKernel(increment(b));
      FillNode fill = unordered.addFill(FillOperation.of32(b, 0, 1, 0));
      try (GraphExec exec = graph.instantiate()) {
        assertThat(exec.update(longer))
            .isEqualTo(
                new GraphUpdateResult(GraphUpdateResult.Reason.TOPOLOGY_CHANGED, null, null));
        GraphUpdateResult wrongKind = exec.update(other);
        assertThat(wrongKind.reason()).isEqualTo(GraphUpdateResult.Reason.NODE_TYPE_CHANGED);
        assertThat(wrongKind.node()).isSameAs(empty);
        assertThat(wrongKind.describe()).contains("another kind").contains("EMPTY");
        assertThat(exec.update(unordered))
            .isEqualTo(
                new GraphUpdateResult(GraphUpdateResult.Reason.TOPOLOGY_CHANGED, fill, null));
        assertThat(kernel.dependents()).isEmpty();
        assertThat(exec.regions()).extracting(Region::label).containsExactly("a");
        stream.write(MemorySegment.ofArray(new int[] {5}), a, 0);
        exec.replay(stream);
        assertThat(read(a)).containsExactly(0);
        assertThat(read(b)).containsExactly(0);
      }
    }
    b.close();
    Eventually.isTrue("b released", () -> live(ResourceKind.DEVICE_BUFFER) == 1);
    a.close();
  }

  @Test
  void aRenewalUpdatesOrInstantiatesAndSaysWhich() {
    DeviceBuffer counter = ints("counter", 0);
    try (Graph one = device.createGraph("one");
        Graph same = device.createGraph("same");
        Graph two = device.createGraph("two")) {
      one.addKernel(increment(counter));
      same.addKernel(fill(counter, 10, 1));
      two.addKernel(increment(counter), two.addKernel(increment(counter)));
      GraphExec exec = one.instantiate();
      GraphRenewal updated = exec.renew(same);
      assertThat(updated.instantiated()).isFalse();
      assertThat(updated.exec()).isSameAs(exec);
      exec.replay(stream);
      GraphRenewal replaced = exec.renew(two);
      assertThat(replaced.instantiated()).isTrue();
      assertThat(replaced.update().reason()).isEqualTo(GraphUpdateResult.Reason.TOPOLOGY_CHANGED);
      assertThat(exec.isClosed()).isTrue();
      replaced.exec().replay(stream);
      assertThat(read(counter)).containsExactly(12);
      replaced.exec().close();
    }
    counter.close();
  }

  @Test
  void parametersOfEachKindOfNodeCanBeSet() {
    DeviceBuffer a = ints("a", 0);
    DeviceBuffer b = ints("b", 0);
    AtomicInteger calls = new AtomicInteger();
    Event first = device.createEvent("first");
    Event second = device.createEvent("second");
    Graph graph = device.createGraph("graph");
    FillNode fill = graph.addFill(FillOperation.of32(a, 0, 1, 5));
    KernelNode kernel = graph.addKernel(increment(a), fill);
    CopyNode copy = graph.addCopy(CopyOperation.onDevice(a, 0, b, 0, 4), kernel);
    HostNode host = graph.addHost(calls::incrementAndGet, copy);
    EventRecordNode record = graph.addRecord(first, host);
    EventWaitNode wait = graph.addWait(first);
    GraphExec exec = graph.instantiate();
    exec.set(fill, FillOperation.of32(b, 0, 1, 3));
    exec.set(kernel, fill(a, 7, 1));
    exec.set(copy, CopyOperation.onDevice(b, 0, a, 0, 4));
    exec.set(host, () -> calls.addAndGet(100));
    exec.set(record, second);
    exec.set(wait, second);
    first.close();
    exec.replay(stream);
    second.synchronize();
    assertThat(read(a)).containsExactly(3);
    assertThat(read(b)).containsExactly(3);
    assertThat(calls).hasValue(100);
    // The graph still is what it was.
    try (GraphExec original = graph.instantiate()) {
      original.replay(stream);
      assertThat(read(b)).containsExactly(6);
      assertThat(calls).hasValue(101);
    }
    exec.close();
    graph.close();
    second.close();
    a.close();
    b.close();
  }

  @Test
  void nodesOfACaptureAreKnownByWhatTheyUse() {
    DeviceBuffer a = ints("a", 1);
    DeviceBuffer b = ints("b", 2);
    DeviceBuffer c = ints("c", 3);
    Stream side = device.createStream("side");
    Graph graph =
        stream.capture(capture -> {
          increment(a).launch(stream);
          capture.fork(side);
          increment(b).launch(side);
          stream.fill32(a, 0, 1, 8);
          capture.join(side);
          stream.copy(a, 0, c, 0, 4);
          stream.launchHost(() -> {});
        });
    side.close();
    List<String> uses =
        graph.nodes().stream().map(node -> node.type() + " " + labels(node)).sorted().toList();
    assertThat(uses)
        .containsExactly("HOST []", "KERNEL [a]", "KERNEL [b]", "MEMCPY [c, a]", "MEMSET [a]");

    // Pointed elsewhere, the exec needs b no more.
    GraphExec exec = graph.instantiate();
    GraphNode second =
        graph.nodes().stream().filter(node -> labels(node).equals("[b]")).findFirst().orElseThrow();
    exec.set((KernelNode) second, increment(c));
    graph.close();
    b.close();
    Eventually.isTrue("b released", () -> live(ResourceKind.DEVICE_BUFFER) == 2);
    exec.replay(stream);
    assertThat(read(a)).containsExactly(8);
    exec.close();
    a.close();
    c.close();
  }

  private static String labels(GraphNode node) {
    return node.pointers().stream().map(pointer -> pointer.region().label()).toList().toString();
  }

  @Test
  void aChildGraphCanBeExchanged() {
    DeviceBuffer a = ints("a", 0);
    DeviceBuffer b = ints("b", 0);
    Graph first = device.createGraph("first");
    first.addKernel(increment(a));
    Graph second = device.createGraph("second");
    second.addKernel(increment(b));
    Graph graph = device.createGraph("graph");
    ChildGraphNode child = graph.addChild(first);
    GraphExec exec = graph.instantiate();
    exec.set(child, second);
    first.close();
    graph.close();
    second.addEmpty();
    second.close();
    a.close();
    Eventually.isTrue("a released", () -> live(ResourceKind.DEVICE_BUFFER) == 1);
    exec.replay(stream);
    assertThat(read(b)).containsExactly(1);
    b.close();
    assertThatThrownBy(() -> exec.replay(stream)).isInstanceOf(StaleGraphException.class);
    exec.close();
  }

  @Test
  void replaysAndChangesOfSeveralThreadsDoNotMeet() throws InterruptedException {
    int rounds = 300;
    DeviceBuffer total = ints("total", 0);
    Graph graph = device.createGraph("graph");
    KernelNode kernel = graph.addKernel(increment(total));
    GraphExec exec = graph.instantiate();
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    Thread changes =
        Thread.ofPlatform()
            .start(() -> {
              try {
                for (int i = 0; i < rounds; i++) {
                  DeviceBuffer other = device.allocate("other", 4);
                  exec.set(kernel, increment(other));
                  exec.set(kernel, increment(total));
                  // A replay in between may still be running on it.
                  other.close();
                }
              } catch (RuntimeException e) {
                failures.add(e);
              }
            });
    try (Stream side = device.createStream("side")) {
      for (int i = 0; i < rounds; i++) {
        exec.replay(i % 2 == 0 ? stream : side);
      }
      changes.join();
      side.synchronize();
    }
    assertThat(failures).isEmpty();
    assertThat(read(total)[0]).isBetween(0, rounds);
    exec.replay(stream);
    stream.synchronize();
    exec.close();
    graph.close();
    total.close();
    Eventually.isTrue("released", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
  }

  @Test
  void aNodeThatPointsElsewhereMakesAStaleExecFresh() {
    DeviceBuffer a = ints("a", 0);
    DeviceBuffer b = ints("b", 0);
    Graph graph = device.createGraph("graph");
    KernelNode kernel = graph.addKernel(increment(a));
    GraphExec exec = graph.instantiate();
    a.close();
    assertThatThrownBy(() -> exec.replay(stream)).isInstanceOf(StaleGraphException.class);
    exec.set(kernel, increment(b));
    exec.replay(stream);
    exec.replay(stream);
    assertThat(read(b)).containsExactly(2);
    b.close();
    assertThatThrownBy(() -> exec.replay(stream))
        .isInstanceOfSatisfying(
            StaleGraphException.class, e -> assertThat(e.region()).isEqualTo("b"));
    exec.close();
    graph.close();
  }

  @Test
  void nodesCanBeSwitchedOffAndOn() {
    DeviceBuffer a = ints("a", 0);
    try (Graph graph = device.createGraph("graph")) {
      KernelNode kernel = graph.addKernel(increment(a));
      EmptyNode empty = graph.addEmpty(kernel);
      try (GraphExec exec = graph.instantiate();
          GraphExec other = graph.instantiate()) {
        assertThat(exec.isEnabled(kernel)).isTrue();
        exec.setEnabled(kernel, false);
        assertThat(exec.isEnabled(kernel)).isFalse();
        assertThat(other.isEnabled(kernel)).isTrue();
        exec.replay(stream);
        assertThat(read(a)).containsExactly(0);
        assertThat(exec.update(graph).updated()).isTrue();
        exec.replay(stream);
        assertThat(read(a)).as("off after an update too").containsExactly(0);
        exec.setEnabled(kernel, true);
        exec.replay(stream);
        assertThat(read(a)).containsExactly(1);
        assertThatThrownBy(() -> exec.setEnabled(empty, false))
            .isInstanceOf(CudaException.class)
            .hasMessageContaining("cuGraphNodeSetEnabled");
      }
    }
    a.close();
  }

  @Test
  void refusesNodesOfOtherGraphs() {
    DeviceBuffer a = ints("a", 0);
    try (Graph graph = device.createGraph("graph");
        Graph other = device.createGraph("other")) {
      KernelNode kernel = graph.addKernel(increment(a));
      KernelNode foreign = other.addKernel(increment(a));
      GraphExec exec = graph.instantiate();
      assertThatThrownBy(() -> exec.set(foreign, increment(a)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'graph'");
      kernel.remove();
      assertThatThrownBy(() -> exec.set(kernel, increment(a)))
          .isInstanceOf(IllegalStateException.class);
      exec.close();
      assertThatThrownBy(() -> exec.update(other)).isInstanceOf(IllegalStateException.class);
    }
    a.close();
  }

  @Test
  void canBeUploadedAsItIsInstantiated() {
    DeviceBuffer a = ints("a", 0);
    try (Graph graph = device.createGraph("graph")) {
      graph.addKernel(increment(a));
      InstantiateOptions options =
          InstantiateOptions.standard()
              .withAutoFreeOnLaunch()
              .withNodePriority()
              .withUploadOn(stream);
      try (GraphExec exec = graph.instantiate(options)) {
        exec.replay(stream);
      }
    }
    assertThat(read(a)).containsExactly(1);
    a.close();
  }
}
