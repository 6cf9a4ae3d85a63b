package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.check.Inputs;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A whole decode step of one layer, captured and replayed, against the same step run eagerly. */
@ExtendWith(GpuExtension.class)
class CaptureTest {

  private static final int ROWS = 3;
  private static final int DIM = 64;
  private static final int HEADS = 2;
  private static final int HEAD_DIM = 32;
  private static final int KV_HEADS = 1;
  private static final int FF = 96;
  private static final int VOCAB = 80;
  private static final int STEPS = 4;
  private static final int CONTEXT = 64;
  private static final int RANK = 4;
  private static final float EPS = 1e-5f;

  /** The arrays of one run that are compared, and its launches. */
  private record Step(
      Span generated, Span positions, Span logits, Span status, PreparedLaunch[] launches) {}

  @Test
  void aReplayedStepGivesTheBitsOfAnEagerOne(Gpu gpu) {
    Step eager = step(gpu);
    for (int i = 0; i < STEPS; i++) {
      gpu.run(eager.launches);
    }
    Step replayed = step(gpu);
    gpu.replay(STEPS, replayed.launches);

    assertThat(gpu.ints(replayed.generated)).isEqualTo(gpu.ints(eager.generated));
    assertThat(Close.bits(gpu.floats(replayed.logits)))
        .isEqualTo(Close.bits(gpu.floats(eager.logits)));
    assertThat(gpu.ints(replayed.positions)).containsExactly(4, -1, 24);
    assertThat(gpu.status(replayed.status)).isEmpty();
    assertThat(gpu.ints(replayed.generated)[1]).as("padding").isEqualTo(-1);
    assertThat(gpu.floats(replayed.logits)[0]).isNotNaN();
  }

  @Test
  void theStepUsesEveryHelper(Gpu gpu) {
    TreeSet<String> used = new TreeSet<>();
    for (PreparedLaunch launch : step(gpu).launches) {
      used.add(Kernels.contract(launch.kernel().name()).module());
    }
    assertThat(used).containsExactlyElementsOf(PtxVariant.MODULES);
  }

  private static Step step(Gpu gpu) {
    Random random = Gpu.random();
    Kernels k = gpu.kernels();
    int width = (HEADS + 2 * KV_HEADS) * HEAD_DIM;
    Span tokens = gpu.ints(5, 0x7f7f7f7f, 9);
    Span positions = gpu.ints(0, -1, 20);
    Span sequences = gpu.ints(0, 0x7f7f7f7f, 1);
    Span rowIndex = gpu.ints(2, -1, 0);
    BlockTables tables = new BlockTables(gpu.ints(1, 2, 3, 4), 2, 2);
    float[] cache = Inputs.uniform(random, 5 * KV_HEADS * 16 * HEAD_DIM, -1, 1);
    KvLayer pool = new KvLayer(gpu.floats(cache), gpu.floats(cache), 5, KV_HEADS, 16, HEAD_DIM);
    Span table = weights(gpu, random, VOCAB * DIM);
    Span norm = gpu.floats(Inputs.uniform(random, DIM, 0.5f, 1.5f));
    Span x = gpu.floatsOf(ROWS * DIM);
    Span normed = gpu.floatsOf(ROWS * DIM);
    Span qkv = gpu.floatsOf(ROWS * width);
    Span q = gpu.floatsOf(ROWS * DIM);
    Span attended = gpu.floatsOf(ROWS * DIM);
    Span delta = gpu.floatsOf(ROWS * DIM);
    Span gateUp = gpu.floatsOf(ROWS * 2 * FF);
    Span gated = gpu.floatsOf(ROWS * FF);
    Span last = gpu.floatsOf(ROWS * DIM);
    Span logits = gpu.floatsOf(ROWS * VOCAB);
    Span sampled = gpu.intsOf(ROWS);
    Span generated = gpu.intsOf(STEPS * ROWS);
    Span status = gpu.status();
    float[] rotary = RotaryTable.of(CONTEXT, HEAD_DIM, 10_000);
    SamplingInputs inputs =
        new SamplingInputs(
            gpu.floats(1, 1, 0),
            gpu.ints(0, 0, 0),
            gpu.floats(0.9f, 1, 1),
            gpu.floats(0, 0, 0),
            gpu.longs(1, 2, 3));
    Span history = gpu.ints(new int[2 * VOCAB]);
    Span slots = gpu.ints(0, 0x7f7f7f7f, 1);
    PenaltyInputs penalties =
        new PenaltyInputs(gpu.floats(1.2f, 1, 1), gpu.floats(0, 0, 0.5f), gpu.floats(0.1f, 0, 0));
    Span adapters = gpu.ints(0, 0x7f7f7f7f, -1);
    AdapterSlots adapter =
        new AdapterSlots(
            WeightType.F16,
            weights(gpu, random, RANK * DIM),
            weights(gpu, random, RANK * width),
            gpu.ints(RANK),
            gpu.floats(0.5f),
            1,
            RANK);
    Span low = gpu.floatsOf(ROWS * RANK);
    MatMul m = k.matMul();
    WeightType f16 = WeightType.F16;
    Span wq = weights(gpu, random, width * DIM);
    Span wo = weights(gpu, random, DIM * DIM);
    Span wg = weights(gpu, random, 2 * FF * DIM);
    Span wd = weights(gpu, random, DIM * FF);
    float scale = (float) (1 / Math.sqrt(HEAD_DIM));
    PreparedLaunch[] launches =
        Stream.of(
                k.embedding().rows(f16, table, tokens, positions, x, ROWS, DIM, VOCAB),
                k.norms().rms(x, norm, normed, ROWS, DIM, EPS),
                m.multiply(f16, wq, normed, qkv, ROWS, DIM, width),
                k.adapters().shrink(adapter, normed, adapters, positions, low, status, ROWS, DIM),
                k.adapters().expand(adapter, low, adapters, positions, qkv, status, ROWS, width),
                k.rotaryEmbedding()
                    .writeKv(
                        qkv,
                        gpu.floats(rotary),
                        positions,
                        sequences,
                        tables,
                        q,
                        pool,
                        status,
                        ROWS,
                        HEADS,
                        CONTEXT),
                k.attention()
                    .paged(
                        q, pool, positions, sequences, tables, attended, status, ROWS, HEADS,
                        scale),
                m.multiply(f16, wo, attended, delta, ROWS, DIM, DIM),
                k.norms().rmsResidual(x, delta, norm, normed, ROWS, DIM, EPS),
                m.multiply(f16, wg, normed, gateUp, ROWS, DIM, 2 * FF),
                k.activation().swiglu(gateUp, gated, ROWS, FF),
                m.multiply(f16, wd, gated, delta, ROWS, FF, DIM),
                k.norms()
                    .rmsResidualGather(
                        x, delta, rowIndex, norm, last, status, ROWS, ROWS, DIM, EPS),
                m.multiply(f16, table, last, logits, ROWS, DIM, VOCAB),
                k.penalties()
                    .penalize(
                        logits, penalties, history, slots, rowIndex, positions, status, ROWS, ROWS,
                        VOCAB, 2),
                k.sampling()
                    .sample(
                        logits, inputs, rowIndex, positions, sampled, status, ROWS, ROWS, VOCAB),
                k.penalties()
                    .count(
                        sampled, rowIndex, positions, slots, history, status, ROWS, ROWS, VOCAB, 2),
                k.stepAdvance()
                    .advance(
                        sampled,
                        rowIndex,
                        tokens,
                        positions,
                        generated,
                        gpu.ints(0),
                        status,
                        ROWS,
                        ROWS,
                        STEPS))
            .toArray(PreparedLaunch[]::new);
    return new Step(generated, positions, logits, status, launches);
  }

  private static Span weights(Gpu gpu, Random random, int count) {
    float[] values = Inputs.halfExact(random, count);
    for (int i = 0; i < count; i++) {
      values[i] *= 0.25f;
    }
    return gpu.halves(values);
  }
}
