package dev.reprise.cuda.access;

import dev.reprise.cuda.diagnostics.AccessCheck;
import dev.reprise.cuda.diagnostics.UnorderedAccess;
import dev.reprise.cuda.diagnostics.UnorderedAccessException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.function.Consumer;

/**
 * The check for the streams of one context: what they are told and where findings go. Thread-safe.
 */
public final class AccessChecker {

  /** Pairs of places that are remembered as reported. */
  private static final int REPORTED = 1024;

  /** Two uses that are the same in the source of the program. */
  private record Pair(
      String first,
      int firstArgument,
      List<StackTraceElement> firstStack,
      String second,
      int secondArgument,
      List<StackTraceElement> secondStack) {

    static Pair of(UnorderedAccess found) {
      return new Pair(
          found.first().operation(),
          found.first().argument(),
          Arrays.asList(found.first().site().getStackTrace()),
          found.second().operation(),
          found.second().argument(),
          Arrays.asList(found.second().site().getStackTrace()));
    }
  }

  private final int device;
  private final AccessCheck mode;
  private final Consumer<UnorderedAccess> listener;
  private final SequencedSet<Pair> reported = new LinkedHashSet<>();

  /**
   * A check for a context.
   *
   * @param device the number of its device
   * @param mode what is done about findings
   * @param listener takes each finding
   */
  public AccessChecker(int device, AccessCheck mode, Consumer<UnorderedAccess> listener) {
    this.device = device;
    this.mode = mode;
    this.listener = listener;
  }

  /** Begins to follow a stream. */
  public StreamAccess stream(String label) {
    return new StreamAccess(this, Ordering.open(label, device));
  }

  /** Everything that was issued to the device so far. */
  public Clock everything() {
    return Ordering.everything(device);
  }

  /** Notes that the calling thread has waited for a point. */
  public void waited(Clock point) {
    Ordering.waited(point);
  }

  boolean threadsApart() {
    return mode.threadsApart();
  }

  boolean isRefusing() {
    return mode.refusing();
  }

  /**
   * Reports each pair of places once, and refuses if that is asked for. Not called with the lock.
   */
  void found(List<UnorderedAccess> findings) {
    for (UnorderedAccess finding : findings) {
      if (isNews(finding)) {
        listener.accept(finding);
      }
    }
    if (mode.refusing() && !findings.isEmpty()) {
      UnorderedAccessException refusal = new UnorderedAccessException(findings.getFirst());
      findings.stream()
          .skip(1)
          .forEach(other -> refusal.addSuppressed(new UnorderedAccessException(other)));
      throw refusal;
    }
  }

  private boolean isNews(UnorderedAccess finding) {
    Pair pair = Pair.of(finding);
    synchronized (reported) {
      boolean news = reported.add(pair);
      if (reported.size() > REPORTED) {
        reported.removeFirst();
      }
      return news;
    }
  }

  static UnorderedAccess.Kind kind(boolean firstWrites, boolean secondWrites) {
    if (!firstWrites) {
      return UnorderedAccess.Kind.READ_WRITE;
    }
    return secondWrites ? UnorderedAccess.Kind.WRITE_WRITE : UnorderedAccess.Kind.WRITE_READ;
  }
}
