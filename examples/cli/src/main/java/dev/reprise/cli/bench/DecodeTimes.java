package dev.reprise.cli.bench;

import dev.reprise.cli.measure.Sample;
import dev.reprise.graph.host.Completion;
import java.util.List;

/** What the repetitions of one test in one arm took. */
final class DecodeTimes {

  private static final double MICROS = 1e3;
  private static final double SECONDS = 1e9;

  private final Sample outputRate = new Sample();
  private final Sample decodeRate = new Sample();
  private final Sample firstToken = new Sample();
  private final Sample betweenTokens = new Sample();
  private int gaps;

  /**
   * Adds a repetition.
   *
   * @param wallNanos from before the first submission until all requests had ended
   * @param requests the times of its requests, which ran together
   */
  void add(long wallNanos, List<Completion.Timings> requests) {
    long tokens = 0;
    double perSecond = 0;
    for (Completion.Timings request : requests) {
      long[] times = request.tokens();
      tokens += times.length;
      firstToken.add(request.firstToken() / MICROS);
      for (int i = 1; i < times.length; i++) {
        betweenTokens.add((times[i] - times[i - 1]) / MICROS);
        gaps++;
      }
      if (times.length > 1) {
        perSecond += (times.length - 1) / ((times[times.length - 1] - times[0]) / SECONDS);
      }
    }
    outputRate.add(tokens / (wallNanos / SECONDS));
    if (perSecond > 0) {
      decodeRate.add(perSecond);
    }
  }

  /** Tokens a second of a repetition, prompts and waiting included. */
  Sample outputRate() {
    return outputRate;
  }

  /**
   * Tokens a second of a repetition after each request's first: the sum over its requests, each of
   * which counts from its first token to its last.
   */
  Sample decodeRate() {
    return decodeRate;
  }

  /** Microseconds from the submission of a request to its first token. */
  Sample firstToken() {
    return firstToken;
  }

  /** Microseconds from token to token of a request. */
  Sample betweenTokens() {
    return betweenTokens;
  }

  /** Whether any request had a second token. */
  boolean hasGaps() {
    return gaps > 0;
  }
}
