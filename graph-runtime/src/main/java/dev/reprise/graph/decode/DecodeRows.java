package dev.reprise.graph.decode;

import dev.reprise.graph.input.RowInput;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.graph.schedule.Decision.Chunk;
import java.util.List;
import java.util.Objects;

/**
 * Writes the inputs of rows as sequences come, move and go. The token that a row computes next is
 * never written by the host: it is copied on the device from where it was sampled.
 */
final class DecodeRows {

  private final StepRunner runner;
  private final StaticInputs inputs;
  private final StaticInputs prompts;
  private final int[] freeTables;
  private int freeCount;
  private final int[] freeHistories;
  private int freeHistoryCount;
  private int joinSlot;

  DecodeRows(StepRunner runner, int tables) {
    this.runner = runner;
    this.inputs = runner.inputs();
    this.prompts = runner.prefillInputs();
    freeTables = new int[tables];
    for (int i = 0; i < tables; i++) {
      freeTables[i] = tables - 1 - i;
    }
    freeCount = tables;
    freeHistories = freeTables.clone();
    freeHistoryCount = tables;
  }

  /**
   * Sets the rows of chunks of prompts, one after the other; of the last chunks of their prompts
   * the last rows' logits are sampled.
   */
  void setPrompts(List<Chunk<DecodeSequence>> chunks, StepShape shape) {
    int row = 0;
    int logitRow = 0;
    for (int table = 0; table < chunks.size(); table++) {
      Chunk<DecodeSequence> chunk = chunks.get(table);
      DecodeSequence sequence = chunk.sequence();
      prompts.setBlockTable(table, Objects.requireNonNull(sequence.kv()));
      int adapter = sequence.adapterSlot();
      for (int position = chunk.from(); position < chunk.to(); position++) {
        prompts.set(RowInput.TOKENS, row, sequence.token(position));
        prompts.set(RowInput.POSITIONS, row, position);
        prompts.set(RowInput.SEQUENCES, row, table);
        prompts.set(RowInput.ADAPTERS, row, adapter);
        row++;
      }
      if (chunk.last()) {
        setSampled(sequence, row - 1, logitRow);
        sequence.joinRow = logitRow++;
      }
    }
    prompts.pad(row, shape.bucket().rows(), logitRow, shape.logitRows());
  }

  private void setSampled(DecodeSequence sequence, int row, int logitRow) {
    prompts.set(RowInput.LOGIT_ROWS, logitRow, row);
    setSampling(prompts, logitRow, sequence.sampling());
    if (sequence.sampling().penalties().active()) {
      remember(sequence);
    }
    prompts.set(RowInput.HISTORY_SLOTS, row, sequence.history);
  }

  private static void setSampling(StaticInputs to, int logitRow, SamplingParameters sampling) {
    to.set(RowInput.TEMPERATURE, logitRow, sampling.temperature());
    to.set(RowInput.TOP_K, logitRow, sampling.topK());
    to.set(RowInput.TOP_P, logitRow, sampling.topP());
    to.set(RowInput.MIN_P, logitRow, sampling.minP());
    to.set(RowInput.SEEDS, logitRow, sampling.seed());
    to.set(RowInput.REPETITION, logitRow, sampling.penalties().repetition());
    to.set(RowInput.PRESENCE, logitRow, sampling.penalties().presence());
    to.set(RowInput.FREQUENCY, logitRow, sampling.penalties().frequency());
  }

  /** Takes a history slot for a sequence whose next step samples, and records its tokens in it. */
  private void remember(DecodeSequence sequence) {
    if (sequence.history < 0) {
      sequence.history = freeHistories[--freeHistoryCount];
    }
    runner.remember(sequence.history, sequence);
  }

  /** Takes what a sequence has besides its row: steps in flight are done with it before others. */
  void release(DecodeSequence sequence) {
    if (sequence.history >= 0) {
      freeHistories[freeHistoryCount++] = sequence.history;
      sequence.history = -1;
    }
  }

  /** The result slot of the step over prompts launched last, with whose tokens sequences join. */
  void joinFrom(int slot) {
    joinSlot = slot;
  }

  void join(DecodeSequence sequence, int row) {
    sequence.table = freeTables[--freeCount];
    runner.feed(joinSlot, sequence.joinRow, row);
    write(sequence, row);
    inputs.setBlockTable(sequence.table, Objects.requireNonNull(sequence.kv()));
  }

  void move(DecodeSequence sequence, int from, int to) {
    write(sequence, to);
    runner.moveToken(from, to);
  }

  private void write(DecodeSequence sequence, int row) {
    inputs.set(RowInput.POSITIONS, row, sequence.length() - 1);
    inputs.set(RowInput.SEQUENCES, row, sequence.table);
    inputs.set(RowInput.HISTORY_SLOTS, row, sequence.history);
    inputs.set(RowInput.ADAPTERS, row, sequence.adapterSlot());
    inputs.set(RowInput.LOGIT_ROWS, row, row);
    setSampling(inputs, row, sequence.sampling());
  }

  void leave(DecodeSequence sequence, int lastRow) {
    freeTables[freeCount++] = sequence.table;
    sequence.table = -1;
    inputs.pad(lastRow, lastRow + 1, lastRow, lastRow + 1);
  }

  void regrow(DecodeSequence sequence) {
    inputs.extendBlockTable(sequence.table, Objects.requireNonNull(sequence.kv()));
  }
}
