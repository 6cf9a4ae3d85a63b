package dev.reprise.graph.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.schedule.ScheduledSequence.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random arrivals, cancellations and shortage: everything ends, and nothing is kept. */
class SchedulerTrafficTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void everyRequestEndsWithItsTokensOrIsCancelledAndAllBlocksComeBack(int depth) {
    long seed = new Random().nextLong();
    for (int repetition = 0; repetition < 20; repetition++) {
      traffic(new Random(seed + repetition), depth, "seed " + seed + " + " + repetition);
    }
  }

  private static void traffic(Random random, int depth, String seed) {
    boolean prefixes = random.nextBoolean();
    SchedulerRig rig =
        new SchedulerRig(
            8 + random.nextInt(10),
            new SchedulerOptions(
                6, 1 + random.nextInt(5), 1 + random.nextInt(9), prefixes ? "m" : ""),
            depth);
    List<ScheduledSequence> all = new ArrayList<>();
    int cancelled = 0;
    for (int i = 0; i < 400; i++) {
      int what = random.nextInt(10);
      if (what < 2) {
        Priority priority = Priority.values()[random.nextInt(3)];
        try {
          all.add(
              rig.submit(
                  "s" + random.nextInt(5),
                  1 + random.nextInt(14),
                  1 + random.nextInt(12),
                  priority,
                  "flow" + random.nextInt(3),
                  Long.MAX_VALUE));
        } catch (RequestRefusedException e) {
          assertThat(e.reason()).as(seed).isEqualTo(RequestRefusedException.Reason.QUEUE_FULL);
        }
      } else if (what == 2 && !all.isEmpty()) {
        ScheduledSequence victim = all.get(random.nextInt(all.size()));
        cancelled += victim.state() == State.ENDED ? 0 : 1;
        rig.scheduler.end(victim);
      } else {
        rig.turn();
      }
      assertThat(rig.scheduler.rowCount()).as(seed).isLessThanOrEqualTo(rig.scheduler.running());
    }
    rig.run();
    assertThat(all).as(seed).allMatch(s -> s.state() == State.ENDED);
    long done = rig.events.stream().filter(e -> e.startsWith("done")).count();
    assertThat(done + cancelled).as(seed).isEqualTo(all.size());
    for (ScheduledSequence s : all) {
      for (int t = s.promptLength(); t < s.known(); t++) {
        assertThat(s.token(t)).as(seed).isEqualTo(1000 + t);
      }
    }
    assertThat(rig.scheduler.waiting()).as(seed).isZero();
    assertThat(rig.scheduler.running()).as(seed).isZero();
    assertThat(rig.blocks.available()).as(seed).isEqualTo(rig.blocks.capacity());
  }
}
