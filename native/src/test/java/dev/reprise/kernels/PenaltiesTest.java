package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.kernels.contract.StatusBit;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(GpuExtension.class)
class PenaltiesTest {

  private static final int VOCAB = 6;
  private static final int IN_PROMPT = Integer.MIN_VALUE;
  private static final float[] LOGITS = {4, -4, 2, -2, 0, 1};

  private Span status;

  @BeforeEach
  void makeStatus(Gpu gpu) {
    status = gpu.status();
  }

  private float[] penalize(
      Gpu gpu, float repetition, float presence, float frequency, int slot, int position) {
    Span logits = gpu.floats(LOGITS);
    gpu.run(
        gpu.kernels()
            .penalties()
            .penalize(
                logits,
                new PenaltyInputs(
                    gpu.floats(repetition), gpu.floats(presence), gpu.floats(frequency)),
                gpu.ints(IN_PROMPT, IN_PROMPT | 1, 3, 1, 0, 0),
                gpu.ints(slot),
                gpu.ints(0),
                gpu.ints(position),
                status,
                1,
                1,
                VOCAB,
                1));
    return gpu.floats(logits);
  }

  @Test
  void repetitionMovesWhatWasSeenTowardsLessLikely(Gpu gpu) {
    assertThat(penalize(gpu, 2, 0, 0, 0, 7)).containsExactly(2, -8, 1, -4, 0, 1);
  }

  @Test
  void presenceAndFrequencyCountWhatWasGeneratedAndNotThePrompt(Gpu gpu) {
    assertThat(penalize(gpu, 1, 0.5f, 0.25f, 0, 7)).containsExactly(4, -4.75f, 0.75f, -2.75f, 0, 1);
  }

  @Test
  void nothingChangesWhenAllIsOffOrTheRowHasNoHistoryOrIsPadding(Gpu gpu) {
    assertThat(penalize(gpu, 1, 0, 0, 0, 7)).containsExactly(LOGITS);
    assertThat(penalize(gpu, 2, 1, 1, -1, 7)).containsExactly(LOGITS);
    assertThat(penalize(gpu, 2, 1, 1, 99, -1)).containsExactly(LOGITS);
    assertThat(gpu.status(status)).isEmpty();
  }

  @Test
  void aHistoryThatDoesNotExistIsReported(Gpu gpu) {
    assertThat(penalize(gpu, 2, 1, 1, 1, 7)).containsExactly(LOGITS);
    assertThat(gpu.status(status)).containsExactly(StatusBit.SLOT_OUT_OF_RANGE);
  }

  @Test
  void promptsAreMarkedAndSampledTokensAreCountedByReplaysAsByLaunches(Gpu gpu) {
    int slots = 2;
    Span history = gpu.ints(new int[slots * VOCAB]);
    Span positions = gpu.ints(0, 1, -1, 0);
    Span slotOf = gpu.ints(1, 1, 0, 0);
    Penalties penalties = gpu.kernels().penalties();
    gpu.run(
        penalties.mark(
            gpu.ints(3, 3, 4, VOCAB), positions, slotOf, history, status, 4, VOCAB, slots));
    gpu.replay(
        3,
        penalties.count(
            gpu.ints(3, 5, 2, -1),
            gpu.ints(0, 3, 2, 1),
            positions,
            slotOf,
            history,
            status,
            4,
            4,
            VOCAB,
            slots));
    int[] expected = new int[slots * VOCAB];
    expected[VOCAB + 3] = IN_PROMPT | 3;
    expected[5] = 3;
    assertThat(gpu.ints(history)).isEqualTo(expected);
    assertThat(gpu.status(status)).isEmpty();
  }

  @Test
  void rowsAndSlotsThatDoNotExistAreReportedAndRecordNothing(Gpu gpu) {
    Span history = gpu.ints(new int[VOCAB]);
    Penalties penalties = gpu.kernels().penalties();
    Span slotOf = gpu.ints(1, 0);
    Span positions = gpu.ints(0, 0);
    gpu.run(penalties.mark(gpu.ints(1, 9), positions, slotOf, history, status, 2, VOCAB, 1));
    assertThat(gpu.status(status)).containsExactly(StatusBit.SLOT_OUT_OF_RANGE);
    Span second = gpu.status();
    gpu.run(
        penalties.count(
            gpu.ints(1, 1), gpu.ints(2, 0), positions, slotOf, history, second, 2, 2, VOCAB, 1));
    assertThat(gpu.status(second))
        .containsExactlyInAnyOrder(StatusBit.SLOT_OUT_OF_RANGE, StatusBit.ROW_OUT_OF_RANGE);
    assertThat(gpu.ints(history)).containsOnly(0);
  }

  @Test
  void doesNotWriteBeyondTheVocabulary(Gpu gpu) {
    float[] logits = new float[2 * VOCAB];
    Arrays.fill(logits, 8);
    int[] seen = new int[2 * VOCAB];
    Arrays.fill(seen, 1);
    Span out = gpu.floats(logits);
    gpu.run(
        gpu.kernels()
            .penalties()
            .penalize(
                out,
                new PenaltyInputs(gpu.floats(2, 1), gpu.floats(0, 0), gpu.floats(0, 0)),
                gpu.ints(seen),
                gpu.ints(0, 1),
                gpu.ints(0, 1),
                gpu.ints(0, 0),
                status,
                2,
                2,
                VOCAB,
                2));
    float[] result = gpu.floats(out);
    assertThat(Arrays.copyOf(result, VOCAB)).containsOnly(4);
    assertThat(Arrays.copyOfRange(result, VOCAB, 2 * VOCAB)).containsOnly(8);
  }
}
