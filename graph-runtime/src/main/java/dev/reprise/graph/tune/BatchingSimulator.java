package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * Turns arrivals into the decode steps that a continuously batching host would run: requests are
 * taken in order of arrival while rows are free, their prompts are prefilled one after another, and
 * all running rows decode together, one token a step. A step takes as long as a bucket of exactly
 * its shape; that is what a set of buckets is tuned to come near to.
 */
public final class BatchingSimulator {

  /** Rows that run with the same distance between positions and steps done. */
  private record Running(long lastStep, long offset) {}

  private final StepCosts costs;
  private final int maxRows;
  private final int maxContext;
  private final double prefillMicrosPerToken;

  /**
   * A simulator.
   *
   * @param maxRows the most rows of a step
   * @param maxContext positions at which a request ends whatever it asked for
   * @param prefillMicrosPerToken time that decoding stands still for each prompt token
   */
  public BatchingSimulator(
      StepCosts costs, int maxRows, int maxContext, double prefillMicrosPerToken) {
    if (maxRows < 1 || maxContext < 2 || !(prefillMicrosPerToken >= 0)) {
      throw new IllegalArgumentException(
          "A simulation needs at least 1 row, 2 positions and a prefill time, not %d, %d, %s"
              .formatted(maxRows, maxContext, prefillMicrosPerToken));
    }
    this.costs = costs;
    this.maxRows = maxRows;
    this.maxContext = maxContext;
    this.prefillMicrosPerToken = prefillMicrosPerToken;
  }

  /** Runs all arrivals to their end, the earliest first. */
  public StepHistogram run(List<Arrival> arrivals) {
    List<Arrival> queue =
        arrivals.stream().sorted(Comparator.comparingDouble(Arrival::atMillis)).toList();
    StepHistogram steps = new StepHistogram();
    PriorityQueue<Running> running =
        new PriorityQueue<>(Comparator.comparingLong(Running::lastStep));
    TreeMap<Long, Integer> offsets = new TreeMap<>(Collections.reverseOrder());
    double nowMicros = 0;
    long step = 0;
    int next = 0;
    while (next < queue.size() || !running.isEmpty()) {
      if (running.isEmpty()) {
        nowMicros = Math.max(nowMicros, queue.get(next).atMillis() * 1000);
      }
      while (next < queue.size()
          && running.size() < maxRows
          && queue.get(next).atMillis() * 1000 <= nowMicros) {
        Arrival arrival = queue.get(next++);
        int prompt = Math.min(arrival.promptTokens(), maxContext - 1);
        long decodeSteps = Math.min(arrival.outputTokens(), maxContext - prompt);
        nowMicros += prompt * prefillMicrosPerToken;
        running.add(new Running(step + decodeSteps - 1, prompt - step));
        offsets.merge(prompt - step, 1, Integer::sum);
      }
      int positions = Math.toIntExact(offsets.firstKey() + step + 1);
      steps.add(running.size(), positions);
      nowMicros +=
          costs.replayMicros(new Bucket(running.size(), positions))
              + costs.liveMicros(running.size(), positions);
      while (!running.isEmpty() && running.peek().lastStep() <= step) {
        offsets.computeIfPresent(running.poll().offset(), (k, n) -> n == 1 ? null : n - 1);
      }
      step++;
    }
    return steps;
  }
}
