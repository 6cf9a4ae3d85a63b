package dev.reprise.graph.decode;

import dev.reprise.graph.cache.CaptureCost;
import java.util.Map;

/**
 * Counters and gauges of captured steps.
 *
 * @param captures steps captured
 * @param failures captures that failed, by reason
 * @param cached captured steps there are
 * @param bytes device bytes that they take
 * @param evictions captured steps dropped to make room for others, or for KV blocks
 * @param givenUp those of them that were dropped for KV blocks
 * @param refusedEpochs replays refused because memory that the graph uses was closed or moved
 * @param breakerTrips how often captures were paused because they did not pay
 * @param captureNanos host time of all captures, instantiation and upload included
 * @param costs what the last capture of each shape cost
 */
public record GraphMetrics(
    long captures,
    Map<String, Long> failures,
    int cached,
    long bytes,
    long evictions,
    long givenUp,
    long refusedEpochs,
    long breakerTrips,
    long captureNanos,
    Map<StepShape, CaptureCost> costs) {}
