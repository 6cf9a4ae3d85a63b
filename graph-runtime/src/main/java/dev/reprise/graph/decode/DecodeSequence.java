package dev.reprise.graph.decode;

import dev.reprise.graph.schedule.Priority;
import dev.reprise.graph.schedule.ScheduledSequence;
import java.util.Arrays;
import java.util.Set;

/** A request in a decode engine. */
public final class DecodeSequence extends ScheduledSequence {

  private final SamplingParameters sampling;
  private final int[] stopTokens;
  private final SequenceListener listener;

  /** The block table of its decode row; −1 without. */
  int table = -1;

  /** Where the device keeps what it has seen; −1 without. */
  int history = -1;

  /**
   * @param name for messages
   * @param prompt token ids
   * @param maxLength the most tokens, prompt included
   * @param sampling how tokens are chosen
   * @param stopTokens ends the sequence when one of them is sampled; it is not among its tokens
   * @param flow whose request it is
   * @param deadline when it ends at the latest, in the time given to {@link DecodeEngine#turn};
   *     {@link Long#MAX_VALUE} for never
   */
  public DecodeSequence(
      String name,
      int[] prompt,
      int maxLength,
      SamplingParameters sampling,
      Set<Integer> stopTokens,
      Priority priority,
      String flow,
      long deadline,
      SequenceListener listener) {
    super(name, prompt, maxLength, priority, flow, deadline);
    this.sampling = sampling;
    this.stopTokens = stopTokens.stream().mapToInt(Integer::intValue).sorted().toArray();
    this.listener = listener;
  }

  /** How tokens are chosen. */
  public SamplingParameters sampling() {
    return sampling;
  }

  boolean stopsAt(int token) {
    return Arrays.binarySearch(stopTokens, token) >= 0;
  }

  SequenceListener listener() {
    return listener;
  }
}
