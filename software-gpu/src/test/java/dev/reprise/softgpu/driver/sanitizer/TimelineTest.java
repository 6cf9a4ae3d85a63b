package dev.reprise.softgpu.driver.sanitizer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.AddressSpace;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a stream knows that has waited for a value in memory. */
class TimelineTest {

  private static final long DEVICE = AddressSpace.FIRST_ADDRESS;
  private static final long HOST = 4096;

  private final Timeline timeline = new Timeline();
  private final Timeline.Lane setting = timeline.lane();
  private final Timeline.Lane seenByProgram = timeline.lane();
  private final long[] set = timeline.submit(setting, List.of());
  private final long[] seen = timeline.submit(seenByProgram, List.of());

  TimelineTest() {
    timeline.hostSaw(seen);
  }

  @Test
  void aWaitForWhatAStreamHasSetTellsWhatThatStreamKnowsOnly() {
    timeline.release(DEVICE, set);
    assertThat(timeline.acquire(DEVICE)).containsExactly(1);
  }

  @Test
  void aWaitForWhatTheProgramMayHaveSetTellsWhatTheProgramKnows() {
    assertThat(timeline.acquire(DEVICE)).containsExactly(0, 1);
    timeline.release(HOST, set);
    assertThat(timeline.acquire(HOST)).containsExactly(1, 1);
  }
}
