package dev.reprise.graph.decode;

import dev.reprise.graph.input.RowInput;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.graph.kv.KvSequence;
import java.util.Objects;

/**
 * Writes the inputs of rows as sequences come, move and go. The token that a row computes next is
 * never written by the host: it is copied on the device from where it was sampled.
 */
final class DecodeRows {

  private static final int CHUNK_TABLE = 0;

  private final StepRunner runner;
  private final StaticInputs inputs;
  private final StaticInputs chunks;
  private final int[] freeTables;
  private int freeCount;
  private final int[] freeHistories;
  private int freeHistoryCount;
  private int joinSlot;

  DecodeRows(StepRunner runner, int tables) {
    this.runner = runner;
    this.inputs = runner.inputs();
    this.chunks = runner.prefillInputs();
    freeTables = new int[tables];
    for (int i = 0; i < tables; i++) {
      freeTables[i] = tables - 1 - i;
    }
    freeCount = tables;
    freeHistories = freeTables.clone();
    freeHistoryCount = tables;
  }

  /** Sets the rows of a chunk of a prompt; the last row's logits are sampled, if any are. */
  void setChunk(
      DecodeSequence sequence, KvSequence kv, int from, int count, int bucketRows, int logitRows) {
    chunks.setBlockTable(CHUNK_TABLE, kv);
    for (int row = 0; row < count; row++) {
      chunks.set(RowInput.TOKENS, row, sequence.token(from + row));
      chunks.set(RowInput.POSITIONS, row, from + row);
      chunks.set(RowInput.SEQUENCES, row, CHUNK_TABLE);
      chunks.set(RowInput.ADAPTERS, row, sequence.adapterSlot());
    }
    if (logitRows > 0) {
      chunks.set(RowInput.LOGIT_ROWS, 0, count - 1);
      setSampling(chunks, 0, sequence.sampling());
      if (sequence.sampling().penalties().active()) {
        remember(sequence);
      }
      chunks.set(RowInput.HISTORY_SLOTS, count - 1, sequence.history);
    }
    chunks.pad(count, bucketRows, logitRows, logitRows);
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

  /** The result slot of the chunk launched last, whose token a sequence joins with. */
  void joinFrom(int slot) {
    joinSlot = slot;
  }

  void join(DecodeSequence sequence, int row) {
    sequence.table = freeTables[--freeCount];
    runner.feed(joinSlot, 0, row);
    write(sequence, row);
    regrow(sequence);
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
    inputs.setBlockTable(sequence.table, Objects.requireNonNull(sequence.kv()));
  }
}
