package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.graph.toy.Toy;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Law 12: closing with work in flight is safe, and cycles leave the device's memory as it was. */
class Law12TeardownTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int CYCLES = 1000;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Test
  void closingInTheMiddleOfStepsLeavesNothingBehind() {
    int[] prompt = Toy.prompt(new Random(1), 10);
    EngineOptions options = Toy.serving(20).withCapture(CaptureMoment.AT_FIRST_USE);
    long free = TOY.device().memoryInfo().freeBytes();
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      Recorded one;
      Recorded waiting;
      try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
        one = Recorded.submit(engine, "one", prompt, Toy.sampling(1), 60);
        for (int turn = 0; turn < cycle % 6; turn++) {
          engine.turn(0);
        }
        waiting = Recorded.submit(engine, "waiting", prompt, Toy.sampling(1), 60);
        if (cycle % 6 > 1) {
          assertThat(engine.runner().inFlightCount()).isEqualTo(1);
        }
      }
      assertThat(one.reason).isEqualTo(FinishReason.CANCELLED);
      assertThat(waiting.reason).isEqualTo(FinishReason.CANCELLED);
      assertThat(freeBytesAtRest(free, PATIENCE)).as("cycle %d", cycle).isEqualTo(free);
    }
  }

  @Test
  void aBufferThatIsLeftBehindIsCaught() {
    long free = TOY.device().memoryInfo().freeBytes();
    try (DeviceBuffer left = TOY.device().allocate("left behind", 1 << 12)) {
      assertThat(freeBytesAtRest(free, Duration.ofMillis(20)))
          .isLessThanOrEqualTo(free - left.size());
    }
    assertThat(freeBytesAtRest(free, PATIENCE)).isEqualTo(free);
  }

  /** Free memory once what was closed is freed, which a thread of the runtime does. */
  private static long freeBytesAtRest(long wanted, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    long free;
    TOY.device().synchronize();
    while ((free = TOY.device().memoryInfo().freeBytes()) != wanted
        && System.nanoTime() < deadline) {
      LockSupport.parkNanos(100_000);
      TOY.device().synchronize();
    }
    return free;
  }
}
