package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.BucketSet;
import java.util.List;

/**
 * The best sets for a workload, one for each number of graphs up to the limit.
 *
 * @param choices by number of graphs allowed, from 0 on
 * @param rowCandidates row counts among which the tuner chose
 * @param contextCandidates contexts among which the tuner chose
 */
public record TunedBuckets(
    List<Choice> choices, List<Integer> rowCandidates, List<Integer> contextCandidates) {

  /**
   * The best set of at most so many graphs.
   *
   * @param graphs the most graphs allowed
   * @param totalMicros time of the workload's steps, with the weighted time of captures
   * @param set the buckets
   */
  public record Choice(int graphs, double totalMicros, BucketSet set) {}

  /** Copies the lists. */
  public TunedBuckets {
    choices = List.copyOf(choices);
    rowCandidates = List.copyOf(rowCandidates);
    contextCandidates = List.copyOf(contextCandidates);
  }

  /** The best set for the whole limit. */
  public Choice best() {
    return choices.getLast();
  }

  /** The best set of at most so many graphs; the last one when more are asked for than pay. */
  public Choice withAtMost(int graphs) {
    return choices.get(Math.min(graphs, choices.size() - 1));
  }
}
