package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import org.junit.jupiter.api.Test;

final class ExternalMemoryTest extends GpuTest {

  @Test
  void itsBuffersAreUsedAsAny() {
    try (ExternalMemory memory = device.importMemory("shared", Descriptors.file(64), 64);
        DeviceBuffer whole = memory.map("whole", 0, 64);
        DeviceBuffer half = memory.map("half", 32, 32)) {
      assertThat(memory.size()).isEqualTo(64);
      stream.fill32(whole, 0, 16, 1);
      // Two buffers of one memory: the order is the program's.
      fill(half, 9, 8).launch(stream);
      assertThat(read(whole)).containsExactly(1, 1, 1, 1, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9, 9, 9);
      Graph graph = stream.capture(capture -> increment(half).launch(stream));
      try (GraphExec exec = graph.instantiate()) {
        graph.close();
        exec.replay(stream);
        assertThat(read(half)).startsWith(10, 9);
      }
    }
    Eventually.isTrue("given back", () -> live(ResourceKind.EXTERNAL_MEMORY) == 0);
  }

  @Test
  void itIsKeptByItsBuffersAndThoseByWorkInFlight() {
    ExternalMemory memory = device.importMemory("shared", Descriptors.file(64), 64);
    DeviceBuffer buffer = memory.map("buffer", 0, 64);
    memory.close();
    assertThat(live(ResourceKind.EXTERNAL_MEMORY)).isEqualTo(1);
    assertThatThrownBy(() -> memory.map("late", 0, 64))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ExternalMemory 'shared' is closed");
    try (Gate gate = new Gate(stream)) {
      fill(buffer, 1, 16).launch(stream);
      buffer.close();
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
      gate.letGoAndWait(stream);
    }
    Eventually.isTrue("freed", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
    Eventually.isTrue("given back", () -> live(ResourceKind.EXTERNAL_MEMORY) == 0);
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThatThrownBy(() -> device.importMemory("none", 999_999, 64))
        .isInstanceOfSatisfying(
            CudaException.class,
            e -> {
              assertThat(e.function()).isEqualTo("cuImportExternalMemory");
              assertThat(e.name()).isEqualTo("CUDA_ERROR_INVALID_VALUE");
            });
    assertThatThrownBy(() -> device.importMemory("none", 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("ExternalMemory 'none' cannot have 0 bytes.");
    try (ExternalMemory memory = device.importMemory("shared", Descriptors.file(64), 64)) {
      for (long[] range : new long[][] {{0, 65}, {-1, 4}, {0, 0}, {64, 1}}) {
        assertThatThrownBy(() -> memory.map("buffer", range[0], range[1]))
            .isInstanceOf(IndexOutOfBoundsException.class)
            .hasMessageContaining("ExternalMemory 'shared' of 64 bytes");
      }
    }
    assertThat(live(ResourceKind.EXTERNAL_MEMORY)).isZero();
  }
}
