package dev.reprise.graph.decode;

import dev.reprise.graph.schedule.ScheduleListener;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the scheduler changes, done to the inputs and told to the requests. */
final class RowChanges implements ScheduleListener<DecodeSequence> {

  private final DecodeRows rows;
  private final RowSteps steps;
  private final Map<FinishReason, Long> ended = new EnumMap<>(FinishReason.class);
  private final Deque<StepFailure> unsound = new ArrayDeque<>();

  RowChanges(DecodeRows rows, RowSteps steps) {
    this.rows = rows;
    this.steps = steps;
  }

  /** The inputs. */
  DecodeRows rows() {
    return rows;
  }

  /** How many sequences ended, by reason. */
  Map<FinishReason, Long> ended() {
    return Map.copyOf(ended);
  }

  /** A sequence has ended; it is counted and told. */
  void ended(DecodeSequence sequence, FinishReason reason, @Nullable RuntimeException failure) {
    ended.merge(reason, 1L, Long::sum);
    sequence.listener().onEnd(reason, failure);
  }

  /** Takes a failure after which a row may not be launched; null if there is none. */
  @Nullable StepFailure unsound() {
    return unsound.pollLast();
  }

  @Override
  public void admitted(DecodeSequence sequence) {
    sequence.listener().onAdmitted();
  }

  @Override
  public void joined(DecodeSequence sequence, int row) {
    steps.rowsChanged();
    rows.join(sequence, row);
  }

  @Override
  public void moved(DecodeSequence sequence, int from, int to) {
    try {
      rows.move(sequence, from, to);
    } catch (RuntimeException e) {
      // The scheduler is in the middle of a change; the row is not launched like this.
      unsound.add(new StepFailure(List.of(sequence), e));
    }
  }

  @Override
  public void left(DecodeSequence sequence, int lastRow) {
    steps.rowsChanged();
    rows.leave(sequence, lastRow);
  }

  @Override
  public void regrown(DecodeSequence sequence) {
    rows.regrow(sequence);
  }

  @Override
  public void released(DecodeSequence sequence) {
    rows.release(sequence);
  }

  @Override
  public void preempted(DecodeSequence sequence) {
    sequence.listener().onPreempted();
  }

  @Override
  public void expired(DecodeSequence sequence) {
    ended(sequence, FinishReason.DEADLINE, null);
  }
}
