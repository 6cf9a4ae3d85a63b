package dev.reprise.graph.decode;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.input.RowInput;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.graph.kv.KvLayout;
import dev.reprise.graph.kv.KvPool;
import dev.reprise.kernels.BlockTables;
import dev.reprise.kernels.Span;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs each replayed step once more by plain launches, on the same inputs, and compares what the
 * two give: tokens, logits, the blocks of keys and values that the rows write, the inputs of the
 * next step, and what sequences with penalties have seen, bit for bit. Slow: it waits for each run.
 */
final class StepAudit implements AutoCloseable {

  private final StepMemory memory;
  private final int vocabulary;
  private final Span history;
  private final DeviceBuffer before;
  private final DeviceBuffer historyBefore;
  private long compared;

  private StepAudit(
      StepMemory memory, int vocabulary, DeviceBuffer before, DeviceBuffer historyBefore) {
    this.memory = memory;
    this.vocabulary = vocabulary;
    this.history = memory.history.span();
    this.before = before;
    this.historyBefore = historyBefore;
  }

  static StepAudit allocate(Device device, StepMemory memory, int vocabulary) {
    long bytes = Math.max(memory.inputs.advancedBytes(), memory.prefillInputs.advancedBytes());
    DeviceBuffer before = device.allocate("audited inputs", bytes);
    try {
      DeviceBuffer seen = device.allocate("audited history", memory.history.span().bytes());
      return new StepAudit(memory, vocabulary, before, seen);
    } catch (RuntimeException e) {
      before.close();
      throw e;
    }
  }

  private StaticInputs inputs(PreparedStep step) {
    return memory.inputs(step.shape.prefill());
  }

  /** Keeps what the step is about to change. */
  void before(Stream stream, PreparedStep step) {
    StaticInputs inputs = inputs(step);
    stream.copy(inputs.buffer(), 0, before, 0, inputs.advancedBytes());
    stream.copy(history.buffer(), history.offset(), historyBefore, 0, history.bytes());
  }

  /**
   * Runs the step again and compares; leaves the results of the second run.
   *
   * @param live rows of the step that are sequences
   * @throws AuditException naming what differs
   */
  void compare(Stream stream, PreparedStep step, int live) {
    Results replayed = results(stream, step, live);
    StaticInputs inputs = inputs(step);
    stream.copy(before, 0, inputs.buffer(), 0, inputs.advancedBytes());
    stream.copy(historyBefore, 0, history.buffer(), history.offset(), history.bytes());
    step.enqueue(stream);
    Results eager = results(stream, step, live);
    String difference = replayed.difference(eager);
    if (difference != null) {
      throw new AuditException(
          "The replay of %s differs from the same step run eagerly: %s. Its graph holds what has changed since the capture."
              .formatted(step.shape, difference));
    }
    compared++;
  }

  private Results results(Stream stream, PreparedStep step, int live) {
    StaticInputs inputs = inputs(step);
    StepOutputs outputs = memory.outputs;
    // Logits rows that are padding are left as they are by both runs.
    int logitRows = step.shape.prefill() ? step.shape.logitRows() : live;
    List<int[]> logits = new ArrayList<>();
    for (int row = 0; row < logitRows; row++) {
      int[] bits = new int[vocabulary];
      stream.read(
          outputs.logitsSpan().buffer(),
          (long) row * vocabulary * Float.BYTES,
          MemorySegment.ofArray(bits));
      logits.add(bits);
    }
    int[] tokens = new int[logitRows];
    stream.read(outputs.sampled(step.slot).buffer(), outputs.sampled(step.slot).offset(), tokens);
    int[] next = new int[Math.toIntExact(inputs.advancedBytes() / Integer.BYTES)];
    stream.read(inputs.buffer(), 0, next);
    int[] seen = new int[Math.toIntExact(history.bytes() / Integer.BYTES)];
    stream.read(history.buffer(), history.offset(), seen);
    return new Results(logits, tokens, live, writtenBlocks(stream, inputs, live), next, seen);
  }

  /** Keys, then values, of each layer, in the block that each row writes; row after row. */
  private List<int[]> writtenBlocks(Stream stream, StaticInputs inputs, int live) {
    KvPool kv = memory.kv;
    KvLayout layout = kv.layout();
    BlockTables tables = inputs.blockTables();
    int[] positions = new int[live];
    int[] sequences = new int[live];
    stream.read(before, inputs.span(RowInput.POSITIONS).offset(), positions);
    stream.read(inputs.buffer(), inputs.span(RowInput.SEQUENCES).offset(), sequences);
    List<int[]> blocks = new ArrayList<>();
    for (int row = 0; row < live; row++) {
      long entry = (long) sequences[row] * tables.maxBlocks() + positions[row] / layout.blockSize();
      int[] block = new int[1];
      stream.read(inputs.buffer(), tables.entries().offset() + entry * Integer.BYTES, block);
      for (int layer = 0; layer < layout.layers(); layer++) {
        blocks.add(block(stream, kv.keys(layer), block[0]));
        blocks.add(block(stream, kv.values(layer), block[0]));
      }
    }
    return blocks;
  }

  private int[] block(Stream stream, Span part, int block) {
    long bytes = memory.kv.layout().blockBytes();
    int[] words = new int[Math.toIntExact(bytes / Integer.BYTES)];
    stream.read(part.buffer(), part.offset() + block * bytes, words);
    return words;
  }

  private record Results(
      List<int[]> logits, int[] tokens, int rows, List<int[]> blocks, int[] next, int[] seen) {

    @Nullable String difference(Results eager) {
      for (int row = 0; row < logits.size(); row++) {
        int at = java.util.Arrays.mismatch(logits.get(row), eager.logits.get(row));
        if (at >= 0) {
          return "logit %d of row %d is %s and should be %s"
              .formatted(
                  at,
                  row,
                  Float.intBitsToFloat(logits.get(row)[at]),
                  Float.intBitsToFloat(eager.logits.get(row)[at]));
        }
      }
      int row = java.util.Arrays.mismatch(tokens, eager.tokens);
      if (row >= 0) {
        return "row %d sampled %d and should have sampled %d"
            .formatted(row, tokens[row], eager.tokens[row]);
      }
      for (int i = 0; i < blocks.size(); i++) {
        if (java.util.Arrays.mismatch(blocks.get(i), eager.blocks.get(i)) >= 0) {
          int perRow = blocks.size() / rows;
          return "the %s that row %d writes in layer %d are others"
              .formatted(i % 2 == 0 ? "keys" : "values", i / perRow, i % perRow / 2);
        }
      }
      if (java.util.Arrays.mismatch(next, eager.next) >= 0) {
        return "the inputs of the next step are others";
      }
      return java.util.Arrays.mismatch(seen, eager.seen) >= 0
          ? "what sequences have seen is recorded otherwise"
          : null;
    }
  }

  /** Steps that were compared and found equal. */
  long compared() {
    return compared;
  }

  @Override
  public void close() {
    historyBefore.close();
    before.close();
  }
}
