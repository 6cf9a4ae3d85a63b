package dev.reprise.graph.schedule;

import dev.reprise.graph.kv.KvBlocks;
import dev.reprise.graph.kv.KvExhaustedException;
import dev.reprise.graph.kv.KvSequence;
import dev.reprise.graph.schedule.RequestRefusedException.Reason;
import dev.reprise.graph.schedule.ScheduledSequence.State;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides step by step what runs. Its user calls {@link #next}, launches that step, calls {@link
 * #launched}, and gives each token it reads to {@link #read}; more than one step may be in flight.
 *
 * <p>A request is admitted when a row is left and the pool has blocks for its prompt and one more
 * for every running sequence. Steps over prompts, into which chunks of several are packed, and
 * decode steps take turns, so that a decode step waits for one of the others at most. When a row
 * needs a block and none is left, and the pool cannot grow, the latest sequence of the lowest
 * priority gives up its blocks and waits to be computed again; the earliest of the highest never
 * does, so that something always ends.
 *
 * <p>A decision costs time in proportion to the rows and to the logarithm of the number of flows,
 * not to the number of waiting requests. Between block boundaries it allocates nothing. One thread
 * at a time.
 *
 * @param <S> the sequences
 */
public final class Scheduler<S extends ScheduledSequence> {

  private final KvBlocks blocks;
  private final SchedulerOptions options;
  private final ScheduleListener<S> listener;
  private final Decision<S> decode = new Decision.Decode<>();
  private final Decision<S> idle = new Decision.Idle<>();

  private final WaitingRoom<S> waiting = new WaitingRoom<>();
  private final TreeSet<S> prefilling =
      new TreeSet<>(
          Comparator.<S, Priority>comparing(ScheduledSequence::priority)
              .reversed()
              .thenComparingLong(ScheduledSequence::order));
  private final List<S> rows = new ArrayList<>();
  private final List<S> rowsView = Collections.unmodifiableList(rows);

  /** Sequences with blocks, the first to lose them first. */
  private final TreeSet<S> victims =
      new TreeSet<>(
          Comparator.<S, Priority>comparing(ScheduledSequence::priority)
              .thenComparing(Comparator.<S>comparingLong(ScheduledSequence::order).reversed()));

  private final TreeSet<S> deadlines =
      new TreeSet<>(
          Comparator.<S>comparingLong(ScheduledSequence::deadline)
              .thenComparingLong(ScheduledSequence::order));

  private long orders;
  private boolean prefilledLast;

  /** The request that did not fit; nothing has given up blocks or a row since. */
  private @Nullable S unfit;

  private long preemptions;
  private long refused;
  private long reusedPositions;
  private long promptPositions;

  /** Decides over the blocks of a pool. */
  public Scheduler(KvBlocks blocks, SchedulerOptions options, ScheduleListener<S> listener) {
    this.blocks = blocks;
    this.options = options;
    this.listener = listener;
  }

  /**
   * Puts a request into the queue.
   *
   * @throws RequestRefusedException if the queue is full or the request could never run
   */
  public void submit(S sequence) {
    if (sequence.state != State.NEW) {
      throw new IllegalStateException(sequence + " was submitted before");
    }
    try {
      checkFits(sequence);
    } catch (RequestRefusedException e) {
      refused++;
      throw e;
    }
    if (waiting.fresh() >= options.maxWaiting()) {
      refused++;
      throw new RequestRefusedException(
          Reason.QUEUE_FULL,
          "%s is refused: %d requests are waiting, which is the limit; try again later"
              .formatted(sequence.name(), waiting.fresh()));
    }
    sequence.order = orders++;
    sequence.state = State.WAITING;
    waiting.add(sequence);
    if (sequence.deadline() != Long.MAX_VALUE) {
      deadlines.add(sequence);
    }
  }

  /**
   * Refuses a request that could not run if it had the pool for itself. Any thread.
   *
   * @throws RequestRefusedException with {@link Reason#TOO_LARGE}
   */
  public void checkFits(ScheduledSequence sequence) {
    int most = mostBlocks(sequence);
    if (most > blocks.mostCapacity()) {
      throw new RequestRefusedException(
          Reason.TOO_LARGE,
          "%s may need %d KV blocks for %d tokens, and the pool has %d; ask for fewer tokens"
              .formatted(sequence.name(), most, sequence.maxLength(), blocks.mostCapacity()));
    }
  }

  /** The last token has no position. */
  private int mostBlocks(ScheduledSequence sequence) {
    return blocks.layout().blocksFor(sequence.maxLength() - 1);
  }

  /**
   * The step to launch now. Deadlines that have passed end their sequences first.
   *
   * @param now the time, of the clock of the deadlines
   */
  public Decision<S> next(long now) {
    expire(now);
    admit();
    if (!prefilling.isEmpty() && (rows.isEmpty() || !prefilledLast)) {
      return prefill();
    }
    boolean hadRows = !rows.isEmpty();
    growRows();
    if (!rows.isEmpty()) {
      return decode;
    }
    // Where preemption has emptied the rows, a prompt goes on or the first in line is admitted.
    return hadRows ? next(now) : idle;
  }

  /** Chunks in order of priority until their positions fill a step. */
  private Decision<S> prefill() {
    List<Decision.Chunk<S>> chunks = new ArrayList<>();
    int left = options.chunk();
    for (S sequence : prefilling) {
      if (left == 0) {
        break;
      }
      int to = Math.min(sequence.known(), sequence.computed + left);
      left -= to - sequence.computed;
      chunks.add(new Decision.Chunk<>(sequence, sequence.computed, to, to == sequence.known()));
    }
    return new Decision.Prefill<>(chunks);
  }

  private void expire(long now) {
    while (!deadlines.isEmpty() && deadlines.first().deadline() <= now) {
      S sequence = deadlines.first();
      end(sequence);
      listener.expired(sequence);
    }
  }

  private void admit() {
    while (true) {
      S head = waiting.peek();
      // What is in flight belongs to the prompt it is computed from again.
      if (head == null || head.inFlight() > 0 || head == unfit) {
        return;
      }
      while (running() >= options.maxRunning() || !admit(head)) {
        if (!preemptFor(head)) {
          unfit = head;
          return;
        }
      }
      unfit = null;
    }
  }

  private boolean admit(S head) {
    KvSequence kv = blocks.newSequence(head.name(), mostBlocks(head));
    int from;
    try {
      // The last token is always computed, since its logits are what the next one is sampled from.
      from = Math.min(adoptPrefix(kv, head, head.known()), head.known() - 1);
      if (!fits(kv, head, from)) {
        kv.close();
        if (running() > 0) {
          return false;
        }
        // Alone, it may lack the block into which the last one of its prefix would be copied.
        kv = blocks.newSequence(head.name(), mostBlocks(head));
        from = adoptPrefix(kv, head, 0);
        if (!fits(kv, head, from)) {
          throw new KvExhaustedException(blocks.capacity(), kv.missing(from, head.known()));
        }
      }
      kv.reserve(from, head.known());
    } catch (RuntimeException e) {
      kv.close();
      throw e;
    }
    admitted(head, kv, from);
    return true;
  }

  /** Positions of the first {@code length} tokens whose keys and values are cached. */
  private int adoptPrefix(KvSequence kv, S head, int length) {
    return options.prefixes().isEmpty()
        ? 0
        : kv.adoptPrefix(options.prefixes() + head.prefixVariant(), head.tokens(), length);
  }

  /** Whether the blocks that it lacks are there, or can be had, with one more for each other. */
  private boolean fits(KvSequence kv, S head, int from) {
    int lacking = kv.missing(from, head.known()) + running() - blocks.available();
    return lacking <= 0 || blocks.grow(lacking) >= lacking;
  }

  private void admitted(S head, KvSequence kv, int from) {
    waiting.served(head);
    head.expectAll();
    head.kv = kv;
    head.computed = from;
    head.reused = Math.min(head.promptLength(), from);
    head.state = State.PREFILLING;
    reusedPositions += from;
    promptPositions += head.known();
    prefilling.add(head);
    victims.add(head);
    listener.admitted(head);
  }

  /** Takes the blocks of a sequence of lower priority, if there is one. */
  private boolean preemptFor(S head) {
    if (victims.isEmpty() || victims.first().priority().compareTo(head.priority()) >= 0) {
      return false;
    }
    preempt(victims.first());
    return true;
  }

  /** Gives every row a slot for the position that it computes next. */
  private void growRows() {
    for (int i = 0; i < rows.size(); i++) {
      S sequence = rows.get(i);
      KvSequence kv = Objects.requireNonNull(sequence.kv);
      int position = sequence.length() - 1;
      if (position < kv.capacity()) {
        continue;
      }
      while (sequence.state == State.DECODING && blocks.available() == 0 && blocks.grow(1) == 0) {
        preempt(victims.first());
        // Rows may have moved: look at all of them again.
        i = -1;
      }
      if (sequence.state == State.DECODING) {
        kv.reserve(position);
        listener.regrown(sequence);
      }
    }
  }

  private void preempt(S sequence) {
    giveUp(sequence);
    sequence.state = State.WAITING;
    sequence.preemptions++;
    preemptions++;
    waiting.addAgain(sequence);
    listener.preempted(sequence);
  }

  /** Takes rows, blocks and places in line from a sequence. */
  private void giveUp(S sequence) {
    prefilling.remove(sequence);
    victims.remove(sequence);
    if (sequence.row >= 0) {
      leaveRow(sequence);
    }
    KvSequence kv = sequence.kv;
    if (kv != null) {
      sequence.kv = null;
      kv.close();
      listener.released(sequence);
    }
    unfit = null;
  }

  private void leaveRow(S sequence) {
    int row = sequence.row;
    sequence.row = -1;
    S last = rows.removeLast();
    if (last != sequence) {
      rows.set(row, last);
      last.row = row;
      listener.moved(last, rows.size(), row);
    }
    listener.left(sequence, rows.size());
  }

  /** The step that {@link #next} decided on is launched. */
  public void launched(Decision<S> decision) {
    switch (decision) {
      case Decision.Prefill<S> prefill -> {
        prefilledLast = true;
        prefill.chunks().forEach(this::launched);
      }
      case Decision.Decode<S> all -> {
        prefilledLast = false;
        // From the end, so that a row that fills a gap has been seen already.
        for (int i = rows.size() - 1; i >= 0; i--) {
          S sequence = rows.get(i);
          sequence.launched();
          if (sequence.length() == sequence.maxLength()) {
            drain(sequence);
          }
        }
      }
      case Decision.Idle<S> nothing -> {}
    }
  }

  private void launched(Decision.Chunk<S> chunk) {
    S sequence = chunk.sequence();
    sequence.computed = chunk.to();
    if (!chunk.last()) {
      return;
    }
    prefilling.remove(sequence);
    sequence.launched();
    if (sequence.length() == sequence.maxLength()) {
      drain(sequence);
    } else {
      sequence.state = State.DECODING;
      sequence.row = rows.size();
      rows.add(sequence);
      listener.joined(sequence, sequence.row);
    }
  }

  private void drain(S sequence) {
    giveUp(sequence);
    sequence.state = State.DRAINING;
  }

  /**
   * The host has read a token of a sequence that has not ended, in order. Blocks that it fills are
   * offered to others.
   */
  public void read(S sequence, int token) {
    sequence.read(token);
    KvSequence kv = sequence.kv;
    // The token itself has no keys and values yet.
    int computed = sequence.known() - 1;
    if (kv != null
        && sequence.state == State.DECODING
        && computed % blocks.layout().blockSize() == 0) {
      kv.filled(sequence.tokens(), computed);
    }
  }

  /**
   * A chunk that was launched is complete; its full blocks are offered to others.
   *
   * @param kv the blocks that the sequence had when it was launched; they may be lost since
   * @param positions where the chunk ends
   */
  public void computed(S sequence, KvSequence kv, int positions) {
    if (sequence.kv == kv) {
      kv.filled(sequence.tokens(), positions);
    }
  }

  /** Ends a sequence wherever it stands; tokens in flight are not to be read any more. */
  public void end(S sequence) {
    if (sequence.state == State.ENDED || sequence.state == State.NEW) {
      return;
    }
    if (sequence.state == State.WAITING) {
      waiting.remove(sequence);
    }
    giveUp(sequence);
    sequence.state = State.ENDED;
    if (sequence.deadline() != Long.MAX_VALUE) {
      deadlines.remove(sequence);
    }
  }

  /** The sequences of the rows, row 0 first; changes with the next call. */
  public List<S> rows() {
    return rowsView;
  }

  /** The sequence of a row. */
  public S row(int row) {
    return rows.get(row);
  }

  /** How many rows there are. */
  public int rowCount() {
    return rows.size();
  }

  /** Sequences with blocks. */
  public int running() {
    return victims.size();
  }

  /** Requests in the queue, those that were preempted included. */
  public int waiting() {
    return waiting.size();
  }

  /** Sequences with blocks, the first to lose them first; changes with the next call. */
  public Collection<S> runningSequences() {
    return Collections.unmodifiableCollection(victims);
  }

  /** The request at the head of the queue, or null. */
  public @Nullable S anyWaiting() {
    return waiting.peek();
  }

  /** Counters since the start. */
  public SchedulerCounters counters() {
    return new SchedulerCounters(
        orders, refused, preemptions, promptPositions, reusedPositions, waiting.size(), running());
  }
}
