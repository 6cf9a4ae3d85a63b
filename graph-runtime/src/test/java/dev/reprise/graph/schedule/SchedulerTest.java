package dev.reprise.graph.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.graph.schedule.RequestRefusedException.Reason;
import dev.reprise.graph.schedule.ScheduledSequence.State;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is launched, in which order. */
class SchedulerTest {

  @Test
  void aPromptRunsInChunksAndThenDecodesToItsEnd() {
    SchedulerRig rig = new SchedulerRig(20, 8, 4, 5, 1);
    ScheduledSequence a = rig.submit("a", 12, 3);
    rig.run();
    assertThat(rig.launched)
        .containsExactly("a 0..5", "a 5..10", "a 10..12", "decode a", "decode a");
    assertThat(a.state()).isEqualTo(State.ENDED);
    assertThat(a.known()).isEqualTo(15);
    assertThat(rig.blocks.available()).isEqualTo(19);
  }

  @Test
  void aDecodeStepWaitsForOneChunkAtMost() {
    SchedulerRig rig = new SchedulerRig(40, 8, 4, 4, 1);
    rig.submit("a", 3, 10);
    rig.turn();
    rig.submit("long", 20, 2);
    rig.run();
    assertThat(rig.launched)
        .startsWith(
            "a 0..3", "decode a", "long 0..4", "decode a", "long 4..8", "decode a", "long 8..12");
  }

  @Test
  void aSecondStepIsLaunchedBeforeTheFirstIsReadAndNeverBeyondTheLimit() {
    SchedulerRig rig = new SchedulerRig(40, 8, 4, 8, 2);
    rig.submit("a", 3, 4);
    rig.submit("b", 8, 2);
    rig.run();
    assertThat(rig.launched)
        .containsExactly("a 0..3, b 0..5", "decode a", "b 5..8", "decode a b", "decode a");
  }

  @Test
  void chunksOfSeveralPromptsArePackedIntoOneStepTheMostUrgentFirst() {
    SchedulerRig rig = new SchedulerRig(40, 8, 4, 8, 1);
    rig.submit("low", 5, 2, Priority.LOW, "", Long.MAX_VALUE);
    rig.submit("a", 3, 2);
    rig.submit("b", 4, 2);
    rig.run();
    assertThat(rig.launched).startsWith("a 0..3, b 0..4, low 0..1", "decode a b", "low 1..5");
  }

  @Test
  void rowsStayDenseWhenOneLeaves() {
    SchedulerRig rig = new SchedulerRig(40, 8, 4, 8, 1);
    ScheduledSequence a = rig.submit("a", 2, 20);
    rig.submit("b", 2, 20);
    ScheduledSequence c = rig.submit("c", 2, 20);
    while (rig.scheduler.rowCount() < 3) {
      rig.turn();
    }
    rig.scheduler.end(a);
    assertThat(c.row()).isZero();
    assertThat(rig.scheduler.rows()).extracting(ScheduledSequence::name).containsExactly("c", "b");
  }

  @Test
  void theLatestOfTheLowestPriorityGivesUpItsBlocksAndIsComputedAgain() {
    SchedulerRig rig = new SchedulerRig(8, 8, 4, 16, 1);
    rig.submit("low", 4, 12, Priority.LOW, "", Long.MAX_VALUE);
    rig.submit("a", 4, 12);
    ScheduledSequence b = rig.submit("b", 3, 12);
    rig.run();
    assertThat(rig.events)
        .containsSubsequence("preempted low", "done a")
        .containsSubsequence("preempted b", "done b")
        .contains("done low")
        .doesNotContain("preempted a");
    assertThat(b.preemptions()).isPositive();
    assertThat(rig.launched.stream().filter(l -> l.contains("b 0.."))).hasSizeGreaterThan(1);
    assertThat(rig.blocks.available()).isEqualTo(7);
  }

  @Test
  void tokensThatWereInFlightAtAPreemptionArePartOfThePromptComputedAgain() {
    SchedulerRig rig = new SchedulerRig(6, 8, 4, 32, 2);
    rig.submit("a", 4, 14);
    ScheduledSequence b = rig.submit("b", 4, 14);
    rig.run();
    assertThat(b.preemptions()).isPositive();
    assertThat(b.known()).isEqualTo(18);
    for (int i = 4; i < 18; i++) {
      assertThat(b.token(i)).isEqualTo(1000 + i);
    }
  }

  @Test
  void aHigherPriorityTakesARowAndBlocksFromALowerOne() {
    SchedulerRig rig = new SchedulerRig(40, 8, 1, 8, 1);
    rig.submit("low", 3, 6, Priority.LOW, "", Long.MAX_VALUE);
    rig.turn();
    rig.turn();
    rig.submit("high", 3, 2, Priority.HIGH, "", Long.MAX_VALUE);
    rig.run();
    assertThat(rig.events).containsExactly("preempted low", "done high", "done low");
  }

  @Test
  void anEqualPriorityTakesNothing() {
    SchedulerRig rig = new SchedulerRig(40, 8, 1, 8, 1);
    rig.submit("a", 3, 6);
    rig.turn();
    rig.submit("b", 3, 2);
    rig.run();
    assertThat(rig.events).containsExactly("done a", "done b");
  }

  @Test
  void aFullQueueRefusesAndSaysSo() {
    SchedulerRig rig = new SchedulerRig(40, 2, 1, 8, 1);
    rig.submit("a", 3, 2);
    rig.submit("b", 3, 2);
    assertThatThrownBy(() -> rig.submit("c", 3, 2))
        .isInstanceOf(RequestRefusedException.class)
        .hasMessage("c is refused: 2 requests are waiting, which is the limit; try again later")
        .extracting(e -> ((RequestRefusedException) e).reason())
        .isEqualTo(Reason.QUEUE_FULL);
    rig.turn();
    rig.submit("c", 3, 2);
    rig.run();
    assertThat(rig.events).containsExactly("done a", "done b", "done c");
  }

  @Test
  void whatCanNeverFitIsRefusedAtOnce() {
    SchedulerRig rig = new SchedulerRig(4, 8, 4, 8, 1);
    assertThatThrownBy(() -> rig.submit("huge", 3, 30))
        .hasMessage(
            "huge may need 8 KV blocks for 33 tokens, and the pool has 3; ask for fewer tokens");
  }

  @Test
  void flowsShareByTokensAndNotByRequests() {
    SchedulerRig rig = new SchedulerRig(60, 64, 1, 16, 1);
    for (int i = 0; i < 8; i++) {
      rig.submit("long" + i, 10, 6, Priority.NORMAL, "long", Long.MAX_VALUE);
    }
    for (int i = 0; i < 12; i++) {
      rig.submit("short" + i, 3, 1, Priority.NORMAL, "short", Long.MAX_VALUE);
    }
    rig.run();
    List<String> first = rig.events.subList(0, 10);
    assertThat(first).filteredOn(e -> e.startsWith("done long")).hasSize(2);
    assertThat(first).filteredOn(e -> e.startsWith("done short")).hasSize(8);
  }

  @Test
  void aNewFlowDoesNotWaitForTheBacklogOfAnother() {
    SchedulerRig rig = new SchedulerRig(60, 64, 1, 16, 1);
    for (int i = 0; i < 20; i++) {
      rig.submit("a" + i, 3, 1, Priority.NORMAL, "a", Long.MAX_VALUE);
    }
    for (int i = 0; i < 10; i++) {
      rig.turn();
    }
    rig.submit("b", 3, 1, Priority.NORMAL, "b", Long.MAX_VALUE);
    int before = rig.events.size();
    rig.run();
    assertThat(rig.events.subList(before, before + 2)).contains("done b");
  }

  @Test
  void deadlinesEndWaitingAndRunningRequests() {
    SchedulerRig rig = new SchedulerRig(40, 8, 1, 8, 1);
    ScheduledSequence running = rig.submit("running", 3, 20, Priority.NORMAL, "", 50);
    ScheduledSequence waiting = rig.submit("waiting", 3, 20, Priority.NORMAL, "", 40);
    rig.turn();
    rig.now = 40;
    rig.turn();
    assertThat(waiting.state()).isEqualTo(State.ENDED);
    assertThat(running.state()).isEqualTo(State.DECODING);
    rig.now = 50;
    rig.run();
    assertThat(rig.events).containsExactly("expired waiting", "expired running");
    assertThat(rig.blocks.available()).isEqualTo(39);
  }

  @Test
  void aSharedPrefixIsComputedOnce() {
    SchedulerRig rig = new SchedulerRig(40, new SchedulerOptions(8, 4, 32, "model"), 1);
    rig.submit("same", 9, 2);
    rig.run();
    int from = rig.launched.size();
    ScheduledSequence again = rig.submit("same", 9, 2);
    rig.run();
    assertThat(rig.launchedSince(from)).containsExactly("same 8..9", "decode same");
    assertThat(again.reused()).isEqualTo(8);
    assertThat(rig.scheduler.counters().reusedPositions()).isEqualTo(8);
  }

  /** Its cached prefix takes all blocks, and the copy of the last one would need one more. */
  @Test
  void aRequestWhosePromptIsCachedWholeRunsThoughNoOtherBlockIsLeft() {
    SchedulerRig rig = new SchedulerRig(6, new SchedulerOptions(4, 2, 8, "model"), 1);
    rig.submit("all", 4 * SchedulerRig.BLOCK, 2);
    rig.run();
    assertThat(rig.blocks.cached()).isEqualTo(4);
    long held = rig.blocks.allocator().allocate();
    ScheduledSequence again = rig.submit("all", 4 * SchedulerRig.BLOCK, 1);
    while (rig.turn()) {}
    assertThat(again.state()).isEqualTo(ScheduledSequence.State.ENDED);
    rig.blocks.allocator().release(held);
    assertThat(rig.blocks.available()).isEqualTo(5);
  }
}
