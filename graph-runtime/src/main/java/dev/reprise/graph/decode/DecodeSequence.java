package dev.reprise.graph.decode;

import dev.reprise.graph.adapter.AdapterLease;
import dev.reprise.graph.schedule.Priority;
import dev.reprise.graph.schedule.ScheduledSequence;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request in a decode engine. */
public class DecodeSequence extends ScheduledSequence {

  private final SamplingParameters sampling;
  private final int[] stopTokens;
  private final SequenceListener listener;
  private final @Nullable AdapterLease adapter;

  /** The block table of its decode row; −1 without. */
  int table = -1;

  /** The logits row of the step over prompts that samples its next token. */
  int joinRow;

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
   * @param adapter open until the sequence has ended; null for none
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
      SequenceListener listener,
      @Nullable AdapterLease adapter) {
    super(name, prompt, maxLength, priority, flow, deadline);
    this.sampling = sampling;
    this.stopTokens = stopTokens.stream().mapToInt(Integer::intValue).sorted().toArray();
    this.listener = listener;
    this.adapter = adapter;
  }

  /** A request without an adapter. */
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
    this(name, prompt, maxLength, sampling, stopTokens, priority, flow, deadline, listener, null);
  }

  /** Keys and values depend on the adapter too. */
  @Override
  public String prefixVariant() {
    return adapter == null ? "" : adapter.identity();
  }

  final boolean adapted() {
    return adapter != null;
  }

  /**
   * Slot of its adapter; −1 without.
   *
   * @throws dev.reprise.graph.adapter.AdapterException if the adapter was given back
   */
  final int adapterSlot() {
    return adapter == null ? -1 : adapter.slot();
  }

  /** How tokens are chosen. */
  public final SamplingParameters sampling() {
    return sampling;
  }

  final boolean stopsAt(int token) {
    return Arrays.binarySearch(stopTokens, token) >= 0;
  }

  final SequenceListener listener() {
    return listener;
  }
}
