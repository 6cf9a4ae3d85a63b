package dev.reprise.graph.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.graph.decode.DecodeMetrics;
import dev.reprise.graph.decode.EngineOptions;
import dev.reprise.graph.decode.FinishReason;
import dev.reprise.graph.schedule.RequestRefusedException;
import dev.reprise.graph.schedule.RequestRefusedException.Reason;
import dev.reprise.graph.toy.Gate;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.WrappedModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a caller of the host sees. */
class DecodeHostTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int[] PROMPT = Toy.prompt(new Random(3), 11);

  private static DecodeHost host(EngineOptions options) {
    return DecodeHost.start(TOY.device(), TOY.model(), options);
  }

  @Test
  void tokensStreamInOrderAndTheEndSaysWhy() throws InterruptedException {
    int[] alone = TOY.alone(PROMPT, Toy.sampling(5), 30, Set.of());
    try (DecodeHost host = host(Toy.serving(40))) {
      RequestHandle handle = host.submit(Request.greedy(PROMPT, 30).withSampling(Toy.sampling(5)));
      List<Integer> streamed = new ArrayList<>();
      for (OptionalInt t = handle.next(); t.isPresent(); t = handle.next()) {
        streamed.add(t.getAsInt());
      }
      Completion end = handle.await();
      assertThat(end.reason()).isEqualTo(FinishReason.LENGTH);
      assertThat(end.tokens()).isEqualTo(alone);
      assertThat(streamed)
          .containsExactlyElementsOf(java.util.Arrays.stream(alone).boxed().toList());
      assertThat(end.timings().tokens()).hasSize(30).isSorted();
      assertThat(end.timings().firstToken()).isEqualTo(end.timings().tokens()[0]);
      assertThat(end.timings().admitted()).isLessThanOrEqualTo(end.timings().firstToken());
    }
  }

  @Test
  void aStopTokenEndsARequestWithoutAnExtraToken() throws InterruptedException {
    int[] alone = TOY.alone(PROMPT, Toy.sampling(5), 30, Set.of());
    int stop = alone[12];
    int first = 0;
    while (alone[first] != stop) {
      first++;
    }
    try (DecodeHost host = host(Toy.serving(40))) {
      Completion end =
          host.submit(
                  Request.greedy(PROMPT, 30)
                      .withSampling(Toy.sampling(5))
                      .withStopTokens(Set.of(stop)))
              .await();
      assertThat(end.reason()).isEqualTo(FinishReason.STOP);
      assertThat(end.tokens()).isEqualTo(java.util.Arrays.copyOf(alone, first));
    }
  }

  private static DecodeHost gated(Gate gate, EngineOptions options) {
    return DecodeHost.start(TOY.device(), new WrappedModel(TOY.model(), gate), options);
  }

  @Test
  void aCancelledRequestKeepsItsTokensAndGivesItsBlocksBack() throws InterruptedException {
    int[] alone = TOY.alone(PROMPT, Toy.sampling(5), 80, Set.of());
    Gate gate = new Gate(12);
    try (DecodeHost host = gated(gate, Toy.serving(40))) {
      RequestHandle handle = host.submit(Request.greedy(PROMPT, 80).withSampling(Toy.sampling(5)));
      gate.awaitReached();
      handle.cancel();
      gate.open();
      Completion end = handle.await();
      assertThat(end.reason()).isEqualTo(FinishReason.CANCELLED);
      // Two chunks, and ten steps of which two may have been in flight.
      assertThat(end.tokens())
          .isEqualTo(java.util.Arrays.copyOf(alone, end.tokens().length))
          .hasSizeBetween(8, 11);
      handle.cancel();
      DecodeMetrics metrics = host.metrics();
      assertThat(metrics.kv().available()).isEqualTo(metrics.kv().blocks());
      assertThat(metrics.requests().running()).isZero();
      assertThat(metrics.ended()).containsEntry(FinishReason.CANCELLED, 1L);
    }
  }

  @Test
  void aDeadlineEndsARequestThatRuns() throws InterruptedException {
    AtomicLong looks = new AtomicLong();
    LongSupplier clock = () -> looks.incrementAndGet() > 25 ? 1500 : 1000;
    try (DecodeHost host = DecodeHost.start(TOY.device(), TOY.model(), Toy.serving(40), clock)) {
      Completion end =
          host.submit(Request.greedy(PROMPT, 80).withTimeout(Duration.ofNanos(500))).await();
      assertThat(end.reason()).isEqualTo(FinishReason.DEADLINE);
      assertThat(end.tokens()).hasSizeBetween(10, 25);
    }
  }

  @Test
  void whatCannotBeServedIsRefusedWithTheReason() {
    DecodeHost host = host(Toy.serving(4));
    try (host) {
      assertRefused(host, Request.greedy(PROMPT, 5).withAdapter("tone"), Reason.UNSUPPORTED)
          .hasMessageContaining("adapter 'tone'");
      assertRefused(host, Request.greedy(PROMPT, 60), Reason.TOO_LARGE)
          .hasMessageContaining("may need 5 KV blocks");
      assertThatThrownBy(() -> host.submit(Request.greedy(new int[0], 3)))
          .hasMessage("The prompt has no tokens");
      assertThatThrownBy(() -> host.submit(Request.greedy(new int[] {999}, 3)))
          .hasMessageContaining("Token 999 is outside the vocabulary");
      assertThatThrownBy(() -> Request.greedy(PROMPT, 0)).hasMessageContaining("At least one");
    }
    assertRefused(host, Request.greedy(PROMPT, 5), Reason.CLOSED).hasMessageContaining("closed");
  }

  private static org.assertj.core.api.AbstractThrowableAssert<?, ?> assertRefused(
      DecodeHost host, Request request, Reason reason) {
    return assertThatThrownBy(() -> host.submit(request))
        .isInstanceOfSatisfying(
            RequestRefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void aFullQueueRefusesAndServesTheRest() throws InterruptedException {
    Gate gate = new Gate(1);
    try (DecodeHost host = gated(gate, Toy.serving(40).withMaxWaiting(2))) {
      List<RequestHandle> taken = new ArrayList<>();
      taken.add(host.submit(Request.greedy(PROMPT, 5)));
      gate.awaitReached();
      taken.add(host.submit(Request.greedy(PROMPT, 5)));
      taken.add(host.submit(Request.greedy(PROMPT, 5)));
      assertRefused(host, Request.greedy(PROMPT, 5), Reason.QUEUE_FULL)
          .hasMessage(
              "request 4 is refused: 2 requests are waiting, which is the limit; try again later");
      gate.open();
      for (RequestHandle handle : taken) {
        assertThat(handle.await().tokens()).hasSize(5);
      }
      assertThat(host.submit(Request.greedy(PROMPT, 5)).await().tokens()).hasSize(5);
    }
  }

  @Test
  void aSharedPrefixIsComputedOnceAndGivesTheSameTokens() throws InterruptedException {
    int[] prompt = Toy.prompt(new Random(9), 40);
    int[] alone = TOY.alone(prompt, Toy.sampling(1), 10, Set.of());
    try (DecodeHost host = host(Toy.serving(40))) {
      Request request = Request.greedy(prompt, 10).withSampling(Toy.sampling(1));
      assertThat(host.submit(request).await().tokens()).isEqualTo(alone);
      Completion second = host.submit(request).await();
      assertThat(second.tokens()).isEqualTo(alone);
      assertThat(second.timings().reusedPositions()).isEqualTo(32);
    }
  }

  @Test
  void closingWithRequestsRunningEndsThemAsCancelled() throws Exception {
    Gate gate = new Gate(20);
    DecodeHost host = gated(gate, Toy.serving(40));
    List<RequestHandle> handles = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      handles.add(host.submit(Request.greedy(PROMPT, 70)));
    }
    gate.awaitReached();
    Thread closer = Thread.ofPlatform().start(host::close);
    // It waits for the host, which has been told to end by then.
    while (closer.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    gate.open();
    closer.join();
    for (RequestHandle handle : handles) {
      assertThat(handle.await().reason()).isEqualTo(FinishReason.CANCELLED);
    }
    assertThat(host.metrics().requests().submitted()).isEqualTo(6);
  }
}
