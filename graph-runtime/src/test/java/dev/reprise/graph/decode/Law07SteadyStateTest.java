package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.reprise.cuda.Event;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.cache.CapturedStep;
import dev.reprise.graph.schedule.Priority;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Law 7: between block boundaries a step is one graph launch and nothing is copied to the device.
 */
class Law07SteadyStateTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int TURNS = 8;

  @Test
  void inputsAreUploadedOnlyWhereASequenceGetsABlock() {
    EngineOptions options = Toy.serving(40).withInFlight(1).withCapture(CaptureMoment.AT_FIRST_USE);
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      int[] prompt = Toy.prompt(new Random(2), 5);
      Recorded a = Recorded.submit(engine, "a", prompt, Toy.sampling(1), 60);
      while (a.tokens.size() < 2) {
        engine.turn(0);
      }
      int boundaries = 0;
      while (a.reason == null) {
        int position = prompt.length + a.tokens.size() - 1;
        StepMetrics before = engine.metrics().steps();
        engine.turn(0);
        StepMetrics after = engine.metrics().steps();
        long uploaded = after.uploadedBytes() - before.uploadedBytes();
        if (position % ToyModel.BLOCK == 0) {
          boundaries++;
          assertThat(uploaded)
              .as("an entry of a block table, at position %d", position)
              .isEqualTo(Integer.BYTES);
        } else {
          assertThat(uploaded).as("nothing, at position %d", position).isZero();
        }
        assertThat(after.replays() - before.replays()).isEqualTo(1);
        assertThat(after.eagerSteps() + after.prefills())
            .isEqualTo(before.eagerSteps() + before.prefills());
      }
      assertThat(boundaries).isEqualTo(3);
    }
  }

  /**
   * A driver written in Java allocates on the calling thread, so a step is compared with the driver
   * calls of a step: replay, record, wait. The smallest object is 16 bytes.
   */
  @Test
  void aStepAllocatesNothingOfItsOwn() {
    assertThat(attempts(false).min().orElseThrow()).isLessThan(16L * TURNS);
  }

  @Test
  void anObjectForEachTokenIsCaught() {
    assertThat(attempts(true).max().orElseThrow()).isGreaterThanOrEqualTo(16L * TURNS);
  }

  /** Some measurements: the JVM may compile the driver in the middle of one. */
  private static LongStream attempts(boolean wasteful) {
    return LongStream.generate(() -> ownAllocation(new Counted(wasteful))).limit(3);
  }

  /** Bytes that turns of an engine allocate besides the driver. */
  private static long ownAllocation(Counted a) {
    EngineOptions options = Toy.serving(40).withInFlight(1).withCapture(CaptureMoment.AT_FIRST_USE);
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options);
        Event done = TOY.device().createEvent("bare done")) {
      engine.submit(a.sequence);
      long steps = leastAllocated(() -> engine.turn(0), a::nearBoundary);
      assertThat(a.ended).isFalse();
      engine.cancel(a.sequence);
      engine.drain();
      PreparedStep step =
          engine.runner().prepared(new StepShape(new Bucket(1, ToyModel.CONTEXT), 1));
      Stream stream = engine.runner().stream();
      CapturedStep captured = Objects.requireNonNull(step.captured());
      long bare =
          leastAllocated(
              () -> {
                captured.replay(stream, 0);
                stream.record(done);
                done.synchronize();
              },
              () -> false);
      return steps - bare;
    }
  }

  /** The least that some rounds of turns allocate; turns are left out until a round may begin. */
  private static long leastAllocated(Runnable turn, BooleanSupplier wait) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 8; i++) {
      turn.run();
    }
    for (int round = 0; round < 4; round++) {
      while (wait.getAsBoolean()) {
        turn.run();
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < TURNS; i++) {
        turn.run();
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  /** A sequence that only counts. */
  private static final class Counted implements SequenceListener {
    private static final int[] PROMPT = Toy.prompt(new Random(2), 5);

    private final DecodeSequence sequence =
        new DecodeSequence(
            "counted",
            PROMPT,
            ToyModel.CONTEXT,
            Toy.sampling(1),
            java.util.Set.of(1_000_000),
            Priority.NORMAL,
            "",
            Long.MAX_VALUE,
            this);
    private int position = PROMPT.length - 1;

    private boolean ended;
    private final boolean wasteful;
    private Object waste = "";

    Counted(boolean wasteful) {
      this.wasteful = wasteful;
    }

    /** Whether the sequence gets a block within the next round. */
    boolean nearBoundary() {
      int slot = position % ToyModel.BLOCK;
      return slot == 0 || slot > ToyModel.BLOCK - TURNS;
    }

    @Override
    public boolean onToken(int token) {
      position++;
      if (wasteful) {
        waste = new int[] {token, waste.hashCode()};
      }
      return true;
    }

    @Override
    public void onEnd(FinishReason reason, @Nullable RuntimeException failure) {
      ended = true;
    }
  }

  @Test
  void rowsThatGoOnAreNotTouchedWhenOthersComeAndGo() {
    EngineOptions options = Toy.serving(40).withCapture(CaptureMoment.AT_FIRST_USE);
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      int[] prompt = Toy.prompt(new Random(2), 5);
      Recorded a = Recorded.submit(engine, "a", prompt, Toy.sampling(1), 60);
      for (int i = 0; i < 6; i++) {
        Recorded.submit(engine, "b" + i, prompt, Toy.sampling(i), 3 + i);
        engine.turn(0);
        engine.turn(0);
      }
      Recorded.run(engine);
      assertThat(a.tokenArray())
          .isEqualTo(TOY.alone(prompt, Toy.sampling(1), 60, java.util.Set.of()));
    }
  }
}
