package dev.reprise.graph.schedule;

/**
 * What a scheduler did since it was made, and how it stands.
 *
 * @param submitted requests taken
 * @param refused requests refused
 * @param preemptions how often a sequence lost its blocks
 * @param promptPositions positions of prompts that were admitted, recomputation included
 * @param reusedPositions those of them whose keys and values were cached
 * @param waiting requests that wait now
 * @param running sequences that have blocks now
 */
public record SchedulerCounters(
    long submitted,
    long refused,
    long preemptions,
    long promptPositions,
    long reusedPositions,
    int waiting,
    int running) {}
