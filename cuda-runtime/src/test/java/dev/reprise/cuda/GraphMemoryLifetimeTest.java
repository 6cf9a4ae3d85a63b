package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory that a graph allocates and leaves: who may use and free it, and what is stale. */
final class GraphMemoryLifetimeTest extends GpuTest {

  private Graph graph;
  private DeviceBuffer memory;

  @SuppressWarnings("NullAway.Init") // set before each test
  GraphMemoryLifetimeTest() {}

  /** A graph that allocates a number, sets it to 5 and leaves it. */
  @BeforeEach
  void makeGraph() {
    graph = device.createGraph("maker");
    MemoryAllocNode allocation = graph.addAllocation("made", 4);
    memory = allocation.buffer();
    graph.addFill(FillOperation.of32(memory, 0, 1, 5), allocation);
  }

  @AfterEach
  void closeGraph() {
    graph.close();
  }

  private Graph user(DeviceBuffer counter) {
    Graph user = device.createGraph("user");
    KernelNode increment = user.addKernel(increment(memory));
    user.addCopy(CopyOperation.onDevice(memory, 0, counter, 0, 4), increment);
    return user;
  }

  @Test
  void itLivesFromAReplayToAFree() {
    try (GraphExec exec = graph.instantiate()) {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> stream.fill32(memory, 0, 1, 1))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("'made' is memory of a graph");
        exec.replay(stream);
        increment(memory).launch(stream);
        assertThat(read(memory)).containsExactly(6);
        stream.free(memory);
      }
      assertThatThrownBy(() -> stream.free(memory)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void aReplayOverMemoryThatIsAllocatedIsRefused() {
    try (GraphExec exec = graph.instantiate()) {
      exec.replay(stream);
      assertThatThrownBy(() -> exec.replay(stream))
          .isInstanceOf(IllegalStateException.class)
          .isNotInstanceOf(StaleGraphException.class)
          .hasMessageContaining("'maker'")
          .hasMessageContaining("'made' of its last replay is still allocated");
      assertThat(read(memory)).containsExactly(5);
      stream.free(memory);
      exec.replay(stream);
      assertThat(read(memory)).containsExactly(5);
    }
  }

  @Test
  void autoFreeOnLaunchFreesFirst() {
    try (GraphExec exec = graph.instantiate(InstantiateOptions.standard().withAutoFreeOnLaunch())) {
      for (int i = 0; i < 3; i++) {
        exec.replay(stream);
        increment(memory).launch(stream);
        assertThat(read(memory)).containsExactly(6);
      }
      graph.close();
      exec.replay(stream);
      stream.synchronize();
    }
  }

  @Test
  void anotherGraphMayUseItWhileItIsAllocated() {
    DeviceBuffer counter = ints("counter", 0);
    try (Graph user = user(counter);
        GraphExec makes = graph.instantiate();
        GraphExec uses = user.instantiate()) {
      assertThatThrownBy(() -> uses.replay(stream))
          .isInstanceOfSatisfying(
              StaleGraphException.class,
              e -> {
                assertThat(e).hasMessageContaining("'user'").hasMessageContaining("'made'");
                assertThat(e.region()).isEqualTo("made");
                assertThat(e.currentEpoch()).isEqualTo(e.capturedEpoch());
              });
      makes.replay(stream);
      uses.replay(stream);
      uses.replay(stream);
      assertThat(read(counter)).containsExactly(7);
      stream.free(memory);
      assertThatThrownBy(() -> uses.replay(stream)).isInstanceOf(StaleGraphException.class);
      makes.replay(stream);
      uses.replay(stream);
      assertThat(read(counter)).containsExactly(6);
    }
    counter.close();
  }

  @Test
  void anotherGraphMayFreeItAndThoseThatUseItAreRefused() {
    DeviceBuffer counter = ints("counter", 0);
    try (Graph user = user(counter);
        Graph freeing = stream.capture("freer", capture -> stream.free(memory));
        GraphExec makes = graph.instantiate();
        GraphExec uses = user.instantiate();
        GraphExec frees = freeing.instantiate()) {
      assertThatThrownBy(() -> frees.replay(stream)).isInstanceOf(StaleGraphException.class);
      for (int i = 0; i < 2; i++) {
        makes.replay(stream);
        frees.replay(stream);
        assertThatThrownBy(() -> uses.replay(stream))
            .isInstanceOf(StaleGraphException.class)
            .hasMessageContaining("'user'")
            .hasMessageContaining("'made'");
        assertThatThrownBy(() -> frees.replay(stream)).isInstanceOf(StaleGraphException.class);
        assertThatThrownBy(() -> stream.fill32(memory, 0, 1, 1))
            .isInstanceOf(IllegalStateException.class);
      }
      makes.replay(stream);
      uses.replay(stream);
      assertThat(read(counter)).containsExactly(6);
    }
    counter.close();
  }

  @Test
  void aFreeInACaptureIsNoneUntilTheReplay() {
    try (GraphExec makes = graph.instantiate()) {
      makes.replay(stream);
      try (Graph freeing = stream.capture("freer", capture -> stream.free(memory))) {
        assertThat(read(memory)).containsExactly(5);
        assertThat(freeing.nodes()).singleElement().isInstanceOf(MemoryFreeNode.class);
      }
    }
  }

  @Test
  void closingItMakesTheGraphsThatUseItStale() {
    DeviceBuffer counter = ints("counter", 0);
    try (Graph user = user(counter);
        GraphExec makes = graph.instantiate();
        GraphExec uses = user.instantiate()) {
      makes.replay(stream);
      memory.close();
      assertThatThrownBy(() -> uses.replay(stream)).isInstanceOf(StaleGraphException.class);
      assertThatThrownBy(() -> makes.replay(stream)).isInstanceOf(StaleGraphException.class);
      assertThatThrownBy(() -> stream.free(memory))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is closed");
    }
    counter.close();
  }

  @Test
  void closingWhatItsGraphFreesChangesNothing() {
    try (Graph own = device.createGraph("own")) {
      MemoryAllocNode allocation = own.addAllocation("scratch", 4);
      own.addFree(allocation.buffer(), allocation);
      try (GraphExec exec = own.instantiate()) {
        allocation.buffer().close();
        exec.replay(stream);
        stream.synchronize();
      }
    }
  }

  @Test
  void whatNobodyRefersToAnyMoreIsFreed() {
    device.graphMemory().trim();
    GraphExec exec = graph.instantiate();
    exec.replay(stream);
    stream.synchronize();
    graph.close();
    assertThat(memory.isClosed()).isTrue();
    assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
    assertThat(device.graphMemory().usedBytes()).isPositive();
    exec.close();
    Eventually.isTrue("released", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
    Eventually.isTrue("freed", () -> device.graphMemory().usedBytes() == 0);
  }

  @Test
  void itOutlivesTheExecThatAllocatedIt() {
    GraphExec exec = graph.instantiate();
    exec.replay(stream);
    exec.close();
    assertThat(read(memory)).containsExactly(5);
    Eventually.isTrue("destroyed", exec.handle()::isDestroyed);
    try (GraphExec again = graph.instantiate()) {
      assertThatThrownBy(() -> again.replay(stream)).hasMessageContaining("still allocated");
      stream.free(memory);
      again.replay(stream);
      assertThat(read(memory)).containsExactly(5);
    }
  }

  @Test
  void anUpdateTakesOverOtherMemory() {
    try (Graph other = device.createGraph("other")) {
      MemoryAllocNode allocation = other.addAllocation("other's", 4);
      other.addFill(FillOperation.of32(allocation.buffer(), 0, 1, 8), allocation);
      try (GraphExec exec = graph.instantiate()) {
        exec.replay(stream);
        assertThat(exec.update(other).updated()).isTrue();
        exec.replay(stream);
        assertThat(read(allocation.buffer())).containsExactly(8);
        assertThat(read(memory)).as("left by the replay before").containsExactly(5);
        assertThatThrownBy(() -> exec.replay(stream)).hasMessageContaining("'other's'");
        assertThatThrownBy(other::instantiate).isInstanceOf(IllegalStateException.class);
        stream.free(memory);
        try (GraphExec first = graph.instantiate()) {
          assertThat(exec.update(graph).updated()).isFalse();
          first.replay(stream);
          assertThat(read(memory)).containsExactly(5);
        }
      }
    }
  }
}
