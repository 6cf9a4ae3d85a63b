package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes that allocate and free memory, and what is refused for graphs that have them. */
final class MemoryNodeTest extends GpuTest {

  @Test
  void aGraphUsesMemoryOfItsOwn() {
    DeviceBuffer result = ints("result", 0, 0, 0, 0);
    try (Graph graph = device.createGraph("step")) {
      MemoryAllocNode allocation = graph.addAllocation("scratch", 16);
      DeviceBuffer scratch = allocation.buffer();
      FillNode fill = graph.addFill(FillOperation.of32(scratch, 0, 4, 20), allocation);
      KernelNode increment = graph.addKernel(increment(scratch), fill);
      CopyNode copy = graph.addCopy(CopyOperation.onDevice(scratch, 0, result, 0, 16), increment);
      MemoryFreeNode free = graph.addFree(scratch, copy);
      assertThat(allocation.parameters())
          .isEqualTo(new MemoryAllocNode.Parameters(scratch.address(), 16, List.of()));
      assertThat(free.address()).isEqualTo(scratch.address());
      assertThat(scratch.label()).isEqualTo("scratch");
      assertThat(graph.regions()).extracting(Region::label).containsExactly("scratch", "result");
      try (GraphExec exec = graph.instantiate()) {
        for (int i = 0; i < 3; i++) {
          exec.replay(stream);
          assertThat(read(result)).containsExactly(21, 20, 20, 20);
        }
      }
    }
    result.close();
  }

  @Test
  void theNodesOfACaptureAreTheSame() {
    try (Graph graph = stream.capture(capture -> stream.allocate("scratch", 64).close())) {
      List<GraphNode> nodes = graph.nodes();
      assertThat(nodes)
          .hasSize(2)
          .hasAtLeastOneElementOfType(MemoryAllocNode.class)
          .hasAtLeastOneElementOfType(MemoryFreeNode.class);
      MemoryAllocNode allocation =
          nodes.stream()
              .filter(MemoryAllocNode.class::isInstance)
              .map(MemoryAllocNode.class::cast)
              .findFirst()
              .orElseThrow();
      assertThat(allocation.buffer().label()).isEqualTo("scratch");
      assertThat(allocation.buffer().isClosed()).isTrue();
      assertThat(allocation.dependents()).singleElement().isInstanceOf(MemoryFreeNode.class);
    }
  }

  @Test
  void whatTheDriverRefusesIsRefusedByName() {
    DeviceBuffer plain = device.allocate("plain", 16);
    try (Graph graph = device.createGraph("step");
        Graph parent = device.createGraph("parent")) {
      MemoryAllocNode allocation = graph.addAllocation("scratch", 16);
      FillNode fill = graph.addFill(FillOperation.of32(allocation.buffer(), 0, 1, 1), allocation);
      MemoryFreeNode free = graph.addFree(allocation.buffer(), fill);
      assertThatThrownBy(fill::remove)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'step' allocates or frees memory")
          .hasMessageContaining("deprived of nodes");
      assertThatThrownBy(() -> graph.removeEdge(fill, free))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("deprived of edges");
      assertThatThrownBy(() -> graph.copy("copy")).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> parent.addChild(graph))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("become a child");
      assertThatThrownBy(() -> graph.addFree(allocation.buffer(), fill))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'scratch' already");
      assertThatThrownBy(() -> graph.addFree(plain))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'plain'");
      assertThatThrownBy(() -> stream.free(plain))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("close it");
      assertThatThrownBy(() -> graph.addAllocation("nothing", 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'nothing'");
      assertThat(graph.nodes()).hasSize(3);
      assertThat(fill.dependents()).containsExactly(free);
    }
    plain.close();
  }

  @Test
  void aFreeMustComeAfterTheAllocation() {
    try (Graph graph = device.createGraph("step")) {
      MemoryAllocNode allocation = graph.addAllocation("scratch", 16);
      MemoryFreeNode free = graph.addFree(allocation.buffer());
      assertThatThrownBy(graph::instantiate).isInstanceOf(CudaException.class);
      graph.addEdge(allocation, free);
      graph.instantiate().close();
    }
  }

  @Test
  void thereIsOneExecAtATime() {
    try (Graph graph = device.createGraph("step")) {
      MemoryAllocNode allocation = graph.addAllocation("scratch", 16);
      graph.addFree(allocation.buffer(), allocation);
      GraphExec first = graph.instantiate();
      assertThatThrownBy(graph::instantiate)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'step'")
          .hasMessageContaining("close the one before");
      try (Gate gate = new Gate(stream)) {
        first.replay(stream);
        first.close();
        assertThatThrownBy(graph::instantiate)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("not done yet");
        gate.letGoAndWait(stream);
      }
      Eventually.isTrue("destroyed", first.handle()::isDestroyed);
      try (GraphExec second = graph.instantiate()) {
        second.replay(stream);
        stream.synchronize();
      }
    }
  }

  @Test
  void aDeviceTellsWhatItsGraphsHold() {
    GraphMemory memory = device.graphMemory();
    memory.trim();
    memory.resetHighWaterMarks();
    long before = memory.reservedBytes();
    assertThat(memory.usedHighBytes()).isEqualTo(memory.usedBytes());
    try (Graph graph = device.createGraph("step")) {
      MemoryAllocNode allocation = graph.addAllocation("scratch", 1 << 20);
      graph.addFree(allocation.buffer(), allocation);
      try (GraphExec exec = graph.instantiate()) {
        exec.replay(stream);
        stream.synchronize();
        assertThat(memory.usedBytes()).isGreaterThanOrEqualTo(1 << 20);
        assertThat(memory.reservedBytes()).isGreaterThanOrEqualTo(before + (1 << 20));
      }
    }
    assertThat(memory.reservedHighBytes()).isGreaterThanOrEqualTo(before + (1 << 20));
    memory.trim();
    assertThat(memory.reservedBytes()).isEqualTo(before);
    memory.resetHighWaterMarks();
    assertThat(memory.reservedHighBytes()).isEqualTo(before);
    assertThatThrownBy(() -> stream.capture(capture -> memory.trim()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("GraphMemory.trim");
  }
}
