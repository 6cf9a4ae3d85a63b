package dev.reprise.graph.schedule;

/**
 * Is told what a decision changed, before the step it decides is launched unless said otherwise.
 *
 * @param <S> the sequences
 */
public interface ScheduleListener<S extends ScheduledSequence> {

  /** A sequence has its last chunk launched and takes part in decode steps from now on. */
  void joined(S sequence, int row);

  /** A row was given up by another sequence; this one, so far in the last row, fills the gap. */
  void moved(S sequence, int from, int to);

  /** The last row is no row any more. */
  void left(int row);

  /** A sequence in a row has other blocks than before. */
  void regrown(S sequence);

  /** A sequence lost its blocks to others; it will be computed again. */
  void preempted(S sequence);

  /** A sequence ended because its deadline passed. */
  void expired(S sequence);
}
