package dev.reprise.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.StepRunner;
import dev.reprise.graph.decode.StepShape;
import dev.reprise.graph.input.RowInput;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.graph.kv.FreedBlockException;
import dev.reprise.graph.kv.KvSequence;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Rows of several sequences share a step; each computes what it computes alone. */
class SeveralSequencesTest {

  private static final int CONTEXT = 512;
  private static final int STEPS = 24;

  private static TinyStories stories;
  private static List<Golden.Case> cases;

  @BeforeAll
  static void open() {
    stories = TinyStories.f32();
    cases = Golden.cases().subList(0, 5);
  }

  @AfterAll
  static void close() {
    stories.close();
  }

  private static StepRunner runner(int rows) {
    DecodeOptions options =
        new DecodeOptions(BucketSet.of(List.of(rows), List.of(CONTEXT)), 32, 200, false);
    return StepRunner.create(stories.device, stories.model, options, 8);
  }

  @Test
  void fiveSequencesInABucketOfEightWithPoisonedPaddingGiveTheirGoldenTokens() {
    try (StepRunner runner = runner(8)) {
      List<KvSequence> sequences = new ArrayList<>();
      List<List<Integer>> tokens = new ArrayList<>();
      for (int s = 0; s < cases.size(); s++) {
        sequences.add(runner.kv().newSequence());
        tokens.add(new ArrayList<>(List.of(prefill(runner, s, sequences.get(s)))));
      }
      StepShape shape = new StepShape(new Bucket(8, CONTEXT), 8);
      for (int step = 1; step < STEPS; step++) {
        prepareRows(runner, sequences, tokens);
        poison(runner.inputs(), cases.size(), 8);
        runner.decode(shape, cases.size(), false);
        runner.complete();
        for (int s = 0; s < cases.size(); s++) {
          tokens.get(s).add(runner.sampled(s));
        }
        for (int row = cases.size(); row < 8; row++) {
          assertThat(runner.sampled(row)).isEqualTo(RowInput.PADDING);
        }
      }
      for (int s = 0; s < cases.size(); s++) {
        assertThat(tokens.get(s))
            .as("%s", cases.get(s))
            .containsExactlyElementsOf(
                Arrays.stream(cases.get(s).continuation()).limit(STEPS).boxed().toList());
      }
      assertThat(runner.statistics().replays()).isEqualTo(STEPS - 1);
      assertThat(runner.statistics().captures()).hasSize(1);
      sequences.forEach(KvSequence::close);
    }
  }

  @Test
  void logitsOfARowAreBitEqualAloneAndAmongOthers() {
    float[] alone;
    try (StepRunner runner = runner(1)) {
      alone = logitsOfFirst(runner, 1);
    }
    try (StepRunner runner = runner(8)) {
      assertThat(logitsOfFirst(runner, 5)).isEqualTo(alone);
    }
  }

  private static float[] logitsOfFirst(StepRunner runner, int sequenceCount) {
    List<KvSequence> sequences = new ArrayList<>();
    List<List<Integer>> tokens = new ArrayList<>();
    for (int s = 0; s < sequenceCount; s++) {
      sequences.add(runner.kv().newSequence());
      tokens.add(new ArrayList<>(List.of(prefill(runner, s, sequences.get(s)))));
    }
    prepareRows(runner, sequences, tokens);
    int rows = sequenceCount == 1 ? 1 : 8;
    poison(runner.inputs(), sequenceCount, rows);
    runner.decode(new StepShape(new Bucket(rows, CONTEXT), rows), sequenceCount, false);
    runner.complete();
    sequences.forEach(KvSequence::close);
    return runner.logits(0);
  }

  @Test
  void aBlockFreedBehindASequenceIsRefusedBeforeTheStep() {
    try (StepRunner runner = runner(1)) {
      KvSequence sequence = runner.kv().newSequence();
      prefill(runner, 0, sequence);
      runner.kv().allocator().release(sequence.block(0));
      assertThatThrownBy(() -> runner.inputs().setBlockTable(0, sequence))
          .isInstanceOf(FreedBlockException.class);
    }
  }

  private static int prefill(StepRunner runner, int table, KvSequence sequence) {
    int[] prompt = cases.get(table).promptIds();
    StaticInputs inputs = runner.prefillInputs();
    sequence.reserve(prompt.length - 1);
    inputs.setBlockTable(table, sequence);
    for (int row = 0; row < prompt.length; row++) {
      inputs.set(RowInput.TOKENS, row, prompt[row]);
      inputs.set(RowInput.POSITIONS, row, row);
      inputs.set(RowInput.SEQUENCES, row, table);
    }
    greedy(inputs, 0, prompt.length - 1);
    inputs.pad(prompt.length, 32, 1, 1);
    runner.prefill(new StepShape(new Bucket(32, CONTEXT), 1), prompt.length);
    runner.complete();
    return runner.sampled(0);
  }

  private static void prepareRows(
      StepRunner runner, List<KvSequence> sequences, List<List<Integer>> tokens) {
    StaticInputs inputs = runner.inputs();
    for (int s = 0; s < sequences.size(); s++) {
      int position = cases.get(s).promptIds().length + tokens.get(s).size() - 1;
      sequences.get(s).reserve(position);
      inputs.setBlockTable(s, sequences.get(s));
      inputs.set(RowInput.TOKENS, s, tokens.get(s).getLast());
      inputs.set(RowInput.POSITIONS, s, position);
      inputs.set(RowInput.SEQUENCES, s, s);
      greedy(inputs, s, s);
    }
  }

  private static void greedy(StaticInputs inputs, int logitRow, int row) {
    inputs.set(RowInput.LOGIT_ROWS, logitRow, row);
    inputs.set(RowInput.TEMPERATURE, logitRow, 0f);
    inputs.set(RowInput.TOP_K, logitRow, 0);
    inputs.set(RowInput.TOP_P, logitRow, 1f);
    inputs.set(RowInput.MIN_P, logitRow, 0f);
    inputs.set(RowInput.SEEDS, logitRow, 0L);
  }

  /** Fills what the padding contract leaves alone with the worst, then applies the contract. */
  private static void poison(StaticInputs inputs, int live, int rows) {
    for (int row = live; row < rows; row++) {
      inputs.set(RowInput.TOKENS, row, Integer.MAX_VALUE);
      inputs.set(RowInput.POSITIONS, row, 1_000_000);
      inputs.set(RowInput.SEQUENCES, row, -77);
      inputs.set(RowInput.LOGIT_ROWS, row, 0);
      inputs.set(RowInput.TEMPERATURE, row, Float.NaN);
      inputs.set(RowInput.TOP_K, row, Integer.MIN_VALUE);
      inputs.set(RowInput.TOP_P, row, Float.NaN);
      inputs.set(RowInput.MIN_P, row, Float.POSITIVE_INFINITY);
      inputs.set(RowInput.SEEDS, row, -1L);
    }
    inputs.pad(live, rows, live, rows);
  }
}
