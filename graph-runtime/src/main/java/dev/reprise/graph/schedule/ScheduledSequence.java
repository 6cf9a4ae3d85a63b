package dev.reprise.graph.schedule;

import dev.reprise.graph.kv.KvSequence;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A request as the scheduler sees it: its tokens so far, how far it may go, and where it stands.
 *
 * <p>Tokens are <em>known</em> once the host has read them and <em>in flight</em> while the step
 * that samples them has not been read; both together are {@link #length()}. One thread, that of the
 * scheduler.
 */
public class ScheduledSequence {

  /** Where a sequence stands. */
  public enum State {
    /** Not yet submitted. */
    NEW,
    /** Waits for blocks and a row; may have run before. */
    WAITING,
    /** Has blocks; its prompt is being computed. */
    PREFILLING,
    /** Has a row. */
    DECODING,
    /** Its last token is in flight; it has no row and no blocks any more. */
    DRAINING,
    /** Over. */
    ENDED
  }

  private final String name;
  private final int promptLength;
  private final int maxLength;
  private final Priority priority;
  private final String flow;
  private final long deadline;

  private int[] tokens;
  private int known;
  private int inFlight;

  State state = State.NEW;
  long order;
  @Nullable KvSequence kv;
  int computed;
  int row = -1;
  int preemptions;
  int reused;

  /**
   * @param name for messages
   * @param prompt token ids, at least one; copied
   * @param maxLength the most tokens, prompt included, more than the prompt has
   * @param flow whose request it is: flows share fairly among requests of one priority
   * @param deadline when it ends if it has not before, in the time of the scheduler; {@link
   *     Long#MAX_VALUE} for never
   */
  public ScheduledSequence(
      String name, int[] prompt, int maxLength, Priority priority, String flow, long deadline) {
    if (prompt.length == 0 || maxLength <= prompt.length) {
      throw new IllegalArgumentException(
          "%s: a prompt of %d tokens and at most %d in all leave nothing to do"
              .formatted(name, prompt.length, maxLength));
    }
    this.name = name;
    this.promptLength = prompt.length;
    this.maxLength = maxLength;
    this.priority = priority;
    this.flow = flow;
    this.deadline = deadline;
    this.tokens = prompt.clone();
    this.known = prompt.length;
  }

  /** For messages. */
  public final String name() {
    return name;
  }

  /** Tokens of the prompt. */
  public final int promptLength() {
    return promptLength;
  }

  /** The most tokens, prompt included. */
  public final int maxLength() {
    return maxLength;
  }

  /** How urgent it is. */
  public Priority priority() {
    return priority;
  }

  /** Whose request it is. */
  public final String flow() {
    return flow;
  }

  /** When it ends at the latest. */
  public long deadline() {
    return deadline;
  }

  /** Its number in order of submission. */
  public long order() {
    return order;
  }

  /** A known token, prompt included. */
  public final int token(int index) {
    return tokens[java.util.Objects.checkIndex(index, known)];
  }

  /** Known tokens, prompt included. */
  public final int known() {
    return known;
  }

  /** Tokens that launched steps sample and the host has not read. */
  public final int inFlight() {
    return inFlight;
  }

  /** Known tokens and those in flight. */
  public final int length() {
    return known + inFlight;
  }

  /** Where it stands. */
  public final State state() {
    return state;
  }

  /** Its row in decode steps, −1 without. */
  public final int row() {
    return row;
  }

  /** Its blocks; null while it has none. */
  public final @Nullable KvSequence kv() {
    return kv;
  }

  /** How often it lost its blocks and was computed again. */
  public final int preemptions() {
    return preemptions;
  }

  /** Positions of the prompt whose keys and values came from earlier requests. */
  public final int reused() {
    return reused;
  }

  /** Tokens, prompt first; only {@link #known()} of them count. */
  final int[] tokens() {
    return tokens;
  }

  /** What besides model and tokens decides its keys and values; empty for nothing. */
  public String prefixVariant() {
    return "";
  }

  /** Makes room for all tokens, so that nothing is allocated while it runs. */
  final void expectAll() {
    if (tokens.length < maxLength) {
      tokens = Arrays.copyOf(tokens, maxLength);
    }
  }

  final void launched() {
    inFlight++;
  }

  final void read(int token) {
    tokens[known++] = token;
    inFlight--;
  }

  @Override
  public String toString() {
    return name + "[" + state + ", " + known + "+" + inFlight + " of " + maxLength + "]";
  }
}
