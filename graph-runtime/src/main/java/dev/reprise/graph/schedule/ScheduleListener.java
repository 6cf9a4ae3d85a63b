package dev.reprise.graph.schedule;

/**
 * Is told what a decision changed, before the step it decides is launched unless said otherwise.
 *
 * @param <S> the sequences
 */
public interface ScheduleListener<S extends ScheduledSequence> {

  /** A request leaves the queue and has blocks; it may have been admitted before. */
  void admitted(S sequence);

  /** A sequence has its last chunk launched and takes part in decode steps from now on. */
  void joined(S sequence, int row);

  /** Another sequence gives up its row; this one, so far in the last row, fills the gap. */
  void moved(S sequence, int from, int to);

  /**
   * A sequence gave up its row.
   *
   * @param lastRow the row that is none any more, whichever the sequence had
   */
  void left(S sequence, int lastRow);

  /** A sequence in a row has another block, behind those that it had. */
  void regrown(S sequence);

  /** A sequence with blocks gave them up, whatever for; its row, if it had one, before that. */
  void released(S sequence);

  /** A sequence lost its blocks to others; it will be computed again. */
  void preempted(S sequence);

  /** A sequence ended because its deadline passed. */
  void expired(S sequence);
}
