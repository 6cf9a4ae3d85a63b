package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Numbers by which streams and the host wait for each other. */
final class StreamValueTest extends GpuTest {

  @Test
  void oneStreamWaitsForANumberThatAnotherWrites() {
    DeviceBuffer flag = ints("flag", 0, 0);
    DeviceBuffer out = ints("out", 0);
    try (Stream side = device.createStream("side")) {
      side.waitValue32(flag, 4, 2, WaitCondition.GREATER_OR_EQUAL);
      side.fill32(out, 0, 1, 9);
      assertThat(side.isComplete()).isFalse();
      stream.writeValue32(flag, 4, 2);
      side.synchronize();
    }
    assertThat(read(out)).containsExactly(9);
    flag.close();
    out.close();
  }

  @Test
  void theHostLetsAStreamGoOnAndHearsFromIt() {
    try (PinnedBuffer words = device.allocatePinned("words", 32)) {
      words.segment().fill((byte) 0);
      stream.waitValue64(words, 8, 1L << 40, WaitCondition.EQUAL);
      stream.writeValue32(words, 0, 5);
      stream.writeValue64(words, 16, -1);
      assertThat(stream.isComplete()).isFalse();
      JAVA_LONG.varHandle().setVolatile(words.segment(), 8L, 1L << 40);
      stream.synchronize();
      assertThat(words.segment().get(JAVA_INT, 0)).isEqualTo(5);
      assertThat(words.segment().get(JAVA_LONG, 16)).isEqualTo(-1);
    }
  }

  @Test
  void memoryThatAStreamWaitsOnIsHeld() {
    DeviceBuffer flag = ints("flag", 0);
    try (Stream side = device.createStream("side")) {
      side.waitValue32(flag, 0, 1, WaitCondition.AND);
      stream.writeValue32(flag, 0, 3);
      flag.close();
      side.synchronize();
    }
    Eventually.isTrue("freed", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
  }

  @Test
  void aBatchWaitsAndWritesInItsOrder() {
    DeviceBuffer target = ints("target", 0, 0, 0, 0);
    try (PinnedBuffer flag = device.allocatePinned("flag", 4)) {
      flag.segment().set(JAVA_INT, 0, 0);
      stream.batch(
          List.of(
              WordOperation.write32(target, 0, 7),
              WordOperation.barrier(),
              WordOperation.wait32(flag, 0, 3, WaitCondition.EQUAL),
              WordOperation.write64(target, 8, 1L << 32)));
      increment(target).launch(stream);
      assertThat(stream.isComplete()).isFalse();
      JAVA_INT.varHandle().setVolatile(flag.segment(), 0L, 3);
      assertThat(read(target)).containsExactly(8, 0, 0, 1);
    }
    target.close();
  }

  @Test
  void aBatchHoldsItsMemory() {
    DeviceBuffer done = ints("done", 0);
    try (PinnedBuffer flag = device.allocatePinned("flag", 4)) {
      flag.segment().set(JAVA_INT, 0, 0);
      stream.batch(
          List.of(
              WordOperation.wait32(flag, 0, 1, WaitCondition.EQUAL),
              WordOperation.write32(done, 0, 1)));
      done.close();
      int held = live(ResourceKind.DEVICE_BUFFER);
      JAVA_INT.varHandle().setVolatile(flag.segment(), 0L, 1);
      stream.synchronize();
      assertThat(held).isEqualTo(1);
    }
    Eventually.isTrue("freed", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
  }

  @Test
  void aCapturedBatchIsOneNode() {
    DeviceBuffer target = ints("target", 0, 0);
    try (Graph graph =
            stream.capture(capture ->
                stream.batch(
                    List.of(
                        WordOperation.write32(target, 0, 5),
                        WordOperation.write32(target, 4, 6))));
        GraphExec exec = graph.instantiate()) {
      assertThat(graph.nodes())
          .singleElement()
          .isInstanceOfSatisfying(
              BatchMemoryNode.class, node -> assertThat(node.count()).isEqualTo(2));
      assertThat(read(target)).containsExactly(0, 0);
      exec.replay(stream);
      assertThat(read(target)).containsExactly(5, 6);
    }
    target.close();
  }

  @Test
  void batchesOfNoneAndOfTooManyAreRefused() {
    DeviceBuffer flag = ints("flag", 0);
    WordOperation write = WordOperation.write32(flag, 0, 1);
    assertThatThrownBy(() -> stream.batch(List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 255");
    assertThatThrownBy(() -> stream.batch(Collections.nCopies(256, write)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 256");
    stream.batch(Collections.nCopies(255, write));
    assertThat(read(flag)).containsExactly(1);
    flag.close();
    assertThatThrownBy(() -> stream.batch(List.of(write)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'flag'");
  }

  @Test
  void misalignedNumbersAndThoseOutsideAreRefused() {
    DeviceBuffer flag = ints("flag", 0, 0);
    assertThatThrownBy(() -> stream.writeValue32(flag, 2, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not a multiple of 4");
    assertThatThrownBy(() -> stream.writeValue64(flag, 4, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> stream.waitValue32(flag, 8, 0, WaitCondition.NOR))
        .isInstanceOf(IndexOutOfBoundsException.class);
    flag.close();
  }
}
