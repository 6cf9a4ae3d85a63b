package dev.reprise.graph.decode;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Chooses the decode step for the rows there are: the smallest bucket that fits. */
final class RowSteps {

  private final StepRunner runner;

  /** The step for the rows there are, by result slot; null when it has to be chosen anew. */
  private final @Nullable PreparedStep[] current;

  RowSteps(StepRunner runner, int slots) {
    this.runner = runner;
    this.current = new @Nullable PreparedStep[slots];
  }

  /** Rows came or went. */
  void rowsChanged() {
    Arrays.fill(current, null);
  }

  /** The step for the next result slot; looked up only when the rows or the context change. */
  PreparedStep forRows(List<DecodeSequence> rows) {
    int positions = 0;
    for (int row = 0; row < rows.size(); row++) {
      positions = Math.max(positions, rows.get(row).length());
    }
    int slot = runner.nextSlot();
    PreparedStep step = current[slot];
    if (step == null || positions > step.shape.bucket().context()) {
      step = find(rows, positions);
      current[slot] = step;
    }
    return step;
  }

  private PreparedStep find(List<DecodeSequence> rows, int positions) {
    boolean penalized = rows.stream().anyMatch(s -> s.sampling().penalties().active());
    boolean adapted = rows.stream().anyMatch(DecodeSequence::adapted);
    return runner.decodeStep(rows.size(), positions, penalized, adapted);
  }
}
