package dev.reprise.graph.cache;

/**
 * What it cost to make a captured step.
 *
 * @param captureNanos host time of the capture
 * @param instantiateNanos host time of the instantiation
 * @param uploadNanos host time from the upload to its completion
 * @param deviceBytes device memory that was free before and is not after
 * @param nodes nodes of the graph
 */
public record CaptureCost(
    long captureNanos, long instantiateNanos, long uploadNanos, long deviceBytes, int nodes) {}
