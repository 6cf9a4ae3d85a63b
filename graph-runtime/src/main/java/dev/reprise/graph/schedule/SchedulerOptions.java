package dev.reprise.graph.schedule;

/**
 * The limits of a scheduler.
 *
 * @param maxWaiting the most requests that wait for their first admission; more are refused
 * @param maxRunning the most sequences that have blocks at a time, one decode row each
 * @param chunk the most positions of prompts that one step computes
 * @param prefixes the namespace in which sequences share prefixes; empty when they share none
 */
public record SchedulerOptions(int maxWaiting, int maxRunning, int chunk, String prefixes) {

  /** Checks the limits. */
  public SchedulerOptions {
    if (maxWaiting < 1 || maxRunning < 1 || chunk < 1) {
      throw new IllegalArgumentException(
          "A scheduler needs room for a waiting and a running request and a chunk of a position, not %d, %d and %d"
              .formatted(maxWaiting, maxRunning, chunk));
    }
  }
}
