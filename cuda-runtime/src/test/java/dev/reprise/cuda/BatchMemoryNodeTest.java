package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes that write numbers to memory and wait for others. */
final class BatchMemoryNodeTest extends GpuTest {

  @Test
  void aBatchWaitsAndWritesInItsOrder() {
    DeviceBuffer target = ints("target", 0, 0, 0, 0);
    PinnedBuffer flag = device.allocatePinned("flag", 4);
    flag.segment().set(JAVA_INT, 0, 0);
    try (Graph graph = device.createGraph("graph")) {
      BatchMemoryNode node =
          graph.addBatch(
              List.of(
                  WordOperation.write32(target, 0, 7),
                  WordOperation.barrier(),
                  WordOperation.wait32(flag, 0, 3, WaitCondition.EQUAL),
                  WordOperation.write64(target, 8, 1L << 32)));
      KernelNode after = graph.addKernel(increment(target), node);
      assertThat(node.type()).isEqualTo(GraphNodeType.BATCH_MEMORY_OPERATION);
      assertThat(node.count()).isEqualTo(4);
      assertThat(after.dependencies()).containsExactly(node);
      assertThat(node.pointers()).extracting(CapturedPointer::argument).containsExactly(0, 2, 3);
      try (GraphExec exec = graph.instantiate()) {
        exec.replay(stream);
        assertThat(stream.isComplete()).isFalse();
        flag.segment().set(JAVA_INT, 0, 3);
        assertThat(read(target)).containsExactly(8, 0, 0, 1);
      }
    }
    flag.close();
    target.close();
  }

  @Test
  void aCapturedWriteIsSuchANode() {
    DeviceBuffer target = ints("target", 0);
    try (Graph graph = stream.capture(capture -> stream.writeValue32(target, 0, 5));
        GraphExec exec = graph.instantiate()) {
      assertThat(graph.nodes()).singleElement().isInstanceOf(BatchMemoryNode.class);
      assertThat(read(target)).containsExactly(0);
      exec.replay(stream);
      assertThat(read(target)).containsExactly(5);
    }
    target.close();
  }

  @Test
  void addressesAndValuesChangeTheShapeDoesNot() {
    DeviceBuffer first = ints("first", 0, 0);
    DeviceBuffer second = ints("second", 0, 0);
    Graph graph = device.createGraph("graph");
    BatchMemoryNode node = graph.addBatch(List.of(WordOperation.write32(first, 0, 1)));
    GraphExec exec = graph.instantiate();
    exec.set(node, List.of(WordOperation.write32(second, 4, 2)));
    assertThatThrownBy(() -> exec.set(node, List.of(WordOperation.write64(second, 0, 2))))
        .isInstanceOf(CudaException.class);
    exec.replay(stream);
    assertThat(read(first)).containsExactly(0, 0);
    assertThat(read(second)).containsExactly(0, 2);
    node.set(List.of(WordOperation.write64(second, 0, -1), WordOperation.barrier()));
    exec.close();
    first.close();
    assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
    try (GraphExec again = graph.instantiate()) {
      again.replay(stream);
      assertThat(read(second)).containsExactly(-1, -1);
    }
    graph.close();
    second.close();
  }

  @Test
  void whatCannotBeIsRefused() {
    DeviceBuffer target = ints("target", 0, 0);
    WordOperation write = WordOperation.write32(target, 0, 1);
    assertThatThrownBy(() -> WordOperation.write64(target, 4, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> WordOperation.write32(target, 2, 1))
        .isInstanceOf(IllegalArgumentException.class);
    try (Graph graph = device.createGraph("graph")) {
      assertThatThrownBy(() -> graph.addBatch(List.of())).isInstanceOf(CudaException.class);
      assertThatThrownBy(() -> graph.addBatch(Collections.nCopies(256, write)))
          .isInstanceOf(CudaException.class);
      Graph body = graph.addIf(graph.conditionalHandle(1)).body();
      assertThatThrownBy(() -> body.addBatch(List.of(write)))
          .isInstanceOf(IllegalStateException.class);
      assertThat(body.nodes()).isEmpty();
      target.close();
      assertThatThrownBy(() -> graph.addBatch(List.of(write)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is closed");
    }
  }
}
