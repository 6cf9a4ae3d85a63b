package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.graph.adapter.AdapterOptions;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.input.RowInput;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.graph.kv.KvBlockAllocator;
import dev.reprise.graph.kv.KvSequence;
import dev.reprise.graph.schedule.Priority;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Law 2: whatever padding holds, no live row and no other block sees it. */
class Law02PaddingTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int STEPS = 3;
  private static final int BLOCKS = 9;

  private record Outcome(
      List<float[]> logits, Set<Integer> writtenBlocks, Set<Integer> ownBlocks) {}

  @Test
  void poisonedPaddingChangesNoLiveRowAndNoOtherBlock() {
    for (int rows : new int[] {1, 2, 4}) {
      for (int live = 1; live <= rows; live++) {
        Outcome padded = run(rows, live, true);
        Outcome exact = run(live, live, true);
        for (int row = 0; row < live; row++) {
          assertThat(padded.logits.get(row))
              .as("row %d of %d in a bucket of %d", row, live, rows)
              .isEqualTo(exact.logits.get(row));
        }
        assertThat(padded.writtenBlocks)
            .as("%d rows in a bucket of %d", live, rows)
            .isEqualTo(padded.ownBlocks);
      }
    }
  }

  @Test
  void paddingWithoutItsContractIsCaught() {
    assertThatThrownBy(() -> run(4, 2, false)).hasMessageContaining("inputs that cannot be");
  }

  private static Outcome run(int rows, int live, boolean contract) {
    DecodeOptions options =
        new DecodeOptions(BucketSet.of(List.of(rows), List.of(ToyModel.CONTEXT)), 8, BLOCKS, false);
    EngineOptions engine = EngineOptions.serial(options).withAdapters(new AdapterOptions(1, 2));
    try (StepRunner runner = StepRunner.create(TOY.device(), TOY.model(), engine, 4)) {
      List<KvSequence> sequences = new ArrayList<>();
      StaticInputs inputs = runner.inputs();
      Set<Integer> own = new HashSet<>();
      for (int row = 0; row < live; row++) {
        KvSequence sequence = runner.kv().newSequence();
        sequences.add(sequence);
        sequence.reserve(STEPS);
        own.add(KvBlockAllocator.id(sequence.block(0)));
        inputs.setBlockTable(row, sequence);
        inputs.set(RowInput.TOKENS, row, 7 + row);
        inputs.set(RowInput.POSITIONS, row, 0);
        inputs.set(RowInput.SEQUENCES, row, row);
        inputs.set(RowInput.LOGIT_ROWS, row, row);
        inputs.set(RowInput.TOP_P, row, 1f);
        inputs.set(RowInput.HISTORY_SLOTS, row, row);
        inputs.set(RowInput.ADAPTERS, row, -1);
        inputs.set(RowInput.REPETITION, row, 1.5f);
        runner.remember(row, sequence(7 + row));
      }
      poison(inputs, live, rows);
      if (contract) {
        inputs.pad(live, rows, live, rows);
      }
      int[] before = pool(runner);
      for (int step = 0; step < STEPS; step++) {
        runner.decode(
            new StepShape(new Bucket(rows, ToyModel.CONTEXT), rows, true, true), live, false);
        runner.complete();
      }
      List<float[]> logits = new ArrayList<>();
      for (int row = 0; row < live; row++) {
        logits.add(runner.logits(row));
      }
      Set<Integer> written = changedBlocks(before, pool(runner));
      sequences.forEach(KvSequence::close);
      return new Outcome(logits, written, own);
    }
  }

  private static DecodeSequence sequence(int token) {
    return new DecodeSequence(
        "of token " + token,
        new int[] {token},
        2,
        SamplingParameters.greedy(),
        Set.of(),
        Priority.NORMAL,
        "",
        Long.MAX_VALUE,
        new SequenceListener() {
          @Override
          public boolean onToken(int sampled) {
            return true;
          }

          @Override
          public void onEnd(FinishReason reason, @Nullable RuntimeException failure) {}
        });
  }

  private static int[] pool(StepRunner runner) {
    int[] words = new int[Math.toIntExact(runner.kv().bytes() / Integer.BYTES)];
    runner.stream().read(runner.kv().keys(0).buffer(), 0, words);
    return words;
  }

  private static Set<Integer> changedBlocks(int[] before, int[] after) {
    int half = before.length / 2;
    int block = half / BLOCKS;
    Set<Integer> changed = new HashSet<>();
    for (int at = Arrays.mismatch(before, after); at >= 0 && at < before.length; at++) {
      if (before[at] != after[at]) {
        changed.add(at % half / block);
      }
    }
    return changed;
  }

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
      inputs.set(RowInput.HISTORY_SLOTS, row, Integer.MAX_VALUE);
      inputs.set(RowInput.ADAPTERS, row, Integer.MAX_VALUE);
      inputs.set(RowInput.REPETITION, row, Float.NaN);
      inputs.set(RowInput.PRESENCE, row, Float.NaN);
      inputs.set(RowInput.FREQUENCY, row, Float.NEGATIVE_INFINITY);
    }
  }
}
