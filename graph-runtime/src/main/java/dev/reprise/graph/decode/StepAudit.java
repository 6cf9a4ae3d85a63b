package dev.reprise.graph.decode;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.kernels.Span;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs each replayed step once more by plain launches, on the same inputs, and compares what the
 * two give: tokens, logits, the inputs of the next step, and what sequences with penalties have
 * seen, bit for bit. Slow: it waits for each run.
 *
 * <p>Keys and values are written twice and not compared themselves; a wrong one shows in the logits
 * of the step or of a later one.
 */
final class StepAudit implements AutoCloseable {

  private final StaticInputs inputs;
  private final StepOutputs outputs;
  private final int vocabulary;
  private final Span history;
  private final DeviceBuffer before;
  private final DeviceBuffer historyBefore;
  private long compared;

  private StepAudit(
      StaticInputs inputs,
      StepOutputs outputs,
      Span history,
      int vocabulary,
      DeviceBuffer before,
      DeviceBuffer historyBefore) {
    this.inputs = inputs;
    this.outputs = outputs;
    this.vocabulary = vocabulary;
    this.history = history;
    this.before = before;
    this.historyBefore = historyBefore;
  }

  static StepAudit allocate(
      Device device,
      StaticInputs inputs,
      StepOutputs outputs,
      Span history,
      int maxLogitRows,
      int vocabulary) {
    DeviceBuffer before = device.allocate("audited inputs", inputs.advancedBytes());
    try {
      DeviceBuffer seen = device.allocate("audited history", history.bytes());
      return new StepAudit(inputs, outputs, history, vocabulary, before, seen);
    } catch (RuntimeException e) {
      before.close();
      throw e;
    }
  }

  /** Keeps what the step is about to change. */
  void before(Stream stream) {
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
    List<int[]> logits = new ArrayList<>();
    for (int row = 0; row < live; row++) {
      int[] bits = new int[vocabulary];
      stream.read(
          outputs.logitsSpan().buffer(),
          (long) row * vocabulary * Float.BYTES,
          MemorySegment.ofArray(bits));
      logits.add(bits);
    }
    int[] tokens = new int[live];
    stream.read(outputs.sampled(step.slot).buffer(), outputs.sampled(step.slot).offset(), tokens);
    int[] next = new int[Math.toIntExact(inputs.advancedBytes() / Integer.BYTES)];
    stream.read(inputs.buffer(), 0, next);
    int[] seen = new int[Math.toIntExact(history.bytes() / Integer.BYTES)];
    stream.read(history.buffer(), history.offset(), seen);
    return new Results(logits, tokens, next, seen);
  }

  private record Results(List<int[]> logits, int[] tokens, int[] next, int[] seen) {

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
