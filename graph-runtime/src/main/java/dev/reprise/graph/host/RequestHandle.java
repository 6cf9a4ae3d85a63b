package dev.reprise.graph.host;

import dev.reprise.graph.decode.DecodeSequence;
import dev.reprise.graph.decode.FinishReason;
import dev.reprise.graph.decode.SequenceListener;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A request that was taken: its tokens as they come, its end, and a way to stop it.
 *
 * <p>All tokens of the request are kept, so a slow reader loses none and holds nobody up; their
 * number is bounded by the request. Any thread; {@link #next} is for one reader.
 */
public final class RequestHandle {

  private final Request request;
  private final Consumer<RequestHandle> whenEnded;
  private final Consumer<RequestHandle> cancel;
  private final LongSupplier readAt;
  private final long submitted = System.nanoTime();
  private final Progress progress = new Progress();

  /** Set before anyone else sees the handle. */
  private @Nullable DecodeSequence sequence;

  // All below is guarded by this.
  private int[] tokens = new int[0];
  private long[] times = new long[0];
  private int count;
  private int read;

  /** Threads that wait in {@link #next}. */
  private int waiters;

  private long admitted = -1;
  private @Nullable Completion completion;

  /** Only the thread of the host reads and writes it. */
  private @Nullable Runnable whenAdmitted;

  /**
   * @param whenAdmitted run once, at the first admission or at the end
   * @param whenEnded run at the end; both on the thread of the host
   * @param cancel run by any thread
   * @param readAt when the step was read whose tokens are told now, as {@link System#nanoTime}
   */
  RequestHandle(
      Request request,
      Runnable whenAdmitted,
      Consumer<RequestHandle> whenEnded,
      Consumer<RequestHandle> cancel,
      LongSupplier readAt) {
    this.request = request;
    this.whenAdmitted = whenAdmitted;
    this.whenEnded = whenEnded;
    this.cancel = cancel;
    this.readAt = readAt;
  }

  /** What was asked for. */
  public Request request() {
    return request;
  }

  /**
   * Waits for the next token.
   *
   * @return empty when there is none any more; {@link #await} then says why
   */
  public synchronized OptionalInt next() throws InterruptedException {
    while (read == count && completion == null) {
      waiters++;
      try {
        wait();
      } finally {
        waiters--;
      }
    }
    return read < count ? OptionalInt.of(tokens[read++]) : OptionalInt.empty();
  }

  /** Waits for the end of the request. */
  public synchronized Completion await() throws InterruptedException {
    Completion end = completion;
    while (end == null) {
      wait();
      end = completion;
    }
    return end;
  }

  /** How it ended; empty while it has not. */
  public synchronized Optional<Completion> completion() {
    return Optional.ofNullable(completion);
  }

  /** Tokens that are known so far. */
  public synchronized int tokenCount() {
    return count;
  }

  /**
   * Ends the request, wherever it stands, as {@link FinishReason#CANCELLED}; tokens so far stay.
   * Without effect if it has ended. Returns at once.
   */
  public void cancel() {
    cancel.accept(this);
  }

  SequenceListener progress() {
    return progress;
  }

  void sequence(DecodeSequence started) {
    sequence = started;
  }

  DecodeSequence sequence() {
    return Objects.requireNonNull(sequence);
  }

  /** Ends it without the engine: it never got there, or the engine is gone. */
  void abandon(FinishReason reason, @Nullable RuntimeException failure) {
    progress.onEnd(reason, failure);
  }

  /** What the thread of the host tells. Allocates nothing for a token. */
  private final class Progress implements SequenceListener {

    @Override
    public void onAdmitted() {
      leftQueue();
      synchronized (RequestHandle.this) {
        if (admitted < 0) {
          admitted = System.nanoTime() - submitted;
          int most = sequence().maxLength() - sequence().promptLength();
          tokens = new int[most];
          times = new long[most];
        }
      }
    }

    private void leftQueue() {
      Runnable first = whenAdmitted;
      if (first != null) {
        whenAdmitted = null;
        first.run();
      }
    }

    @Override
    public boolean onToken(int token) {
      synchronized (RequestHandle.this) {
        tokens[count] = token;
        times[count] = readAt.getAsLong() - submitted;
        count++;
        if (waiters > 0) {
          RequestHandle.this.notifyAll();
        }
      }
      return true;
    }

    @Override
    public void onEnd(FinishReason reason, @Nullable RuntimeException failure) {
      leftQueue();
      whenEnded.accept(RequestHandle.this);
      synchronized (RequestHandle.this) {
        if (completion != null) {
          return;
        }
        long total = System.nanoTime() - submitted;
        DecodeSequence done = sequence();
        completion =
            new Completion(
                reason,
                Arrays.copyOf(tokens, count),
                new Completion.Timings(
                    admitted < 0 ? total : admitted,
                    count == 0 ? total : times[0],
                    total,
                    Arrays.copyOf(times, count),
                    done.preemptions(),
                    done.reused()),
                Optional.ofNullable(failure));
        RequestHandle.this.notifyAll();
      }
    }
  }

  @Override
  public synchronized String toString() {
    return "RequestHandle[%s, %d tokens, %s]"
        .formatted(request, count, completion == null ? "running" : completion.reason());
  }
}
