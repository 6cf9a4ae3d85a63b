package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reprise.cuda.diagnostics.AccessCheck;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.diagnostics.UnorderedAccessException;
import org.junit.jupiter.api.Test;

/** Unordered uses are refused before the driver sees them, with threads apart. */
final class RefusedAccessTest extends AccessTest {

  @Override
  Diagnostics diagnostics() {
    return Diagnostics.standard().withAccessCheck(AccessCheck.REFUSE.withThreadsApart());
  }

  @Test
  void theDriverDoesNotSeeTheSecondUse() {
    left.fill32(a, 0, N, 1);
    UnorderedAccessException refusal =
        catchThrowableOfType(UnorderedAccessException.class, () -> right.fill32(a, 0, N, 2));
    assertThat(refusal.report()).isSameAs(found());
    assertThat(refusal).hasMessage(found().describe()).hasCause(found().first().site());
    assertThat(found().memory().creationSite()).isNull();

    // It counts as not issued, so that the order can be made good.
    left.synchronize();
    assertThat(read(a)).containsOnly(1);
    order(left, right);
    right.fill32(a, 0, N, 2);
    right.synchronize();
    assertThat(read(a)).containsOnly(2);
  }

  @Test
  void aRefusedGraphIsGone() {
    assertThatThrownBy(() ->
            stream.capture(capture -> {
              capture.fork(left);
              increment(a).launch(left);
              increment(a).launch(stream);
              capture.join(left);
            }))
        .isInstanceOf(UnorderedAccessException.class);
    assertThat(live(ResourceKind.GRAPH)).isZero();
    assertThat(stream.isCapturing()).isFalse();
    try (Graph graph = device.createGraph("explicit")) {
      KernelNode first = graph.addKernel(increment(a));
      KernelNode second = graph.addKernel(increment(a));
      assertThatThrownBy(graph::instantiate).isInstanceOf(UnorderedAccessException.class);
      graph.addEdge(first, second);
      graph.instantiate().close();
    }
  }

  @Test
  void aRepeatedRefusalIsReportedOnce() {
    left.fill32(a, 0, N, 1);
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> right.fill32(a, 0, N, 2))
          .isInstanceOf(UnorderedAccessException.class);
    }
    assertThat(listener.unordered).hasSize(1);
  }

  @Test
  void aWaitCountsForItsOwnThreadOnly() throws InterruptedException {
    left.fill32(a, 0, N, 1);
    Thread waiter = Thread.ofPlatform().start(left::synchronize);
    waiter.join();
    assertThatThrownBy(() -> right.fill32(a, 0, N, 2)).isInstanceOf(UnorderedAccessException.class);
    assertThat(left.isComplete()).isTrue();
    right.fill32(a, 0, N, 2);
  }
}
