package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.kv.FreedBlockException;
import dev.reprise.graph.kv.KvBlockAllocator;
import dev.reprise.graph.kv.KvSequence;
import dev.reprise.graph.toy.Toy;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Law 4: a freed block in a block table is refused before the launch, and freed blocks are NaN. */
class Law04PagedKvTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int[] PROMPT = Toy.prompt(new Random(1), 20);

  private static DecodeEngine engine(int inFlight) {
    return DecodeEngine.create(
        TOY.device(),
        TOY.model(),
        Toy.serving(20).withInFlight(inFlight).withPrefixReuse(false).withCheckedKv(true));
  }

  @Test
  void aBlockFreedBehindARequestIsRefusedNamingBothAndTheOthersGoOn() {
    try (DecodeEngine engine = engine(2)) {
      Recorded a = Recorded.submit(engine, "request a", PROMPT, Toy.sampling(1), 30);
      Recorded b = Recorded.submit(engine, "request b", PROMPT, Toy.sampling(2), 30);
      while (b.tokens.size() < 5) {
        engine.turn(0);
      }
      KvSequence kv = Objects.requireNonNull(a.sequence.kv());
      int block = KvBlockAllocator.id(kv.block(0));
      long launched = engine.metrics().steps().replays() + engine.metrics().steps().eagerSteps();
      engine.runner().kv().allocator().release(kv.block(0));
      engine.turn(0);
      assertThat(a.reason).isEqualTo(FinishReason.FAILED);
      assertThat(a.failure)
          .isInstanceOf(FreedBlockException.class)
          .hasMessageStartingWith("request a: KV block " + block + " (generation 0) was freed");
      assertThat(engine.metrics().steps().replays() + engine.metrics().steps().eagerSteps())
          .as("the step without it")
          .isEqualTo(launched + 1);
      Recorded.run(engine);
      assertThat(b.reason).isEqualTo(FinishReason.LENGTH);
      assertThat(b.tokenArray()).isEqualTo(TOY.alone(PROMPT, Toy.sampling(2), 30, Set.of()));
      assertThat(engine.metrics().kv().available()).isEqualTo(19);
    }
  }

  @Test
  void blocksOfAnEndedRequestAreNan() {
    try (DecodeEngine engine = engine(1)) {
      Recorded a = Recorded.submit(engine, "a", PROMPT, Toy.sampling(1), 3);
      engine.turn(0);
      int block = KvBlockAllocator.id(Objects.requireNonNull(a.sequence.kv()).block(0));
      assertThat(keys(engine, block)).doesNotContain(Float.NaN);
      Recorded.run(engine);
      engine.drain();
      assertThat(keys(engine, block)).containsOnly(Float.NaN);
      assertThat(keys(engine, KvBlockAllocator.NULL_BLOCK)).containsOnly(0f);
    }
  }

  /** The keys of the positions of the first chunk in a block. */
  private static float[] keys(DecodeEngine engine, int block) {
    float[] keys = new float[8 * 32];
    long bytes = engine.runner().kv().layout().blockBytes();
    engine.runner().stream().read(engine.runner().kv().keys(0).buffer(), block * bytes, keys);
    return keys;
  }
}
