package dev.reprise.graph.decode;

import dev.reprise.graph.adapter.AdapterOptions;
import dev.reprise.graph.cache.GraphLimits;
import dev.reprise.graph.kv.KvGrowth;

/**
 * How a decode engine runs.
 *
 * @param decode buckets, prefill chunks and the KV blocks to start with
 * @param maxWaiting the most requests that wait; more are refused
 * @param inFlight steps in flight at a time: 1 reads each step before the next is launched, 2
 *     launches the next before the last is read
 * @param prefixReuse whether requests with the same beginning share its keys and values
 * @param checkedKv whether freed KV blocks are filled with NaN
 * @param audit whether each replay is followed by an eager run of the same step and compared; slow,
 *     and one step in flight
 * @param capture when steps are captured
 * @param graphs what captured steps may take
 * @param adapters room for adapters
 * @param kvGrowth how far the KV pool may grow beyond the blocks that it starts with
 */
public record EngineOptions(
    DecodeOptions decode,
    int maxWaiting,
    int inFlight,
    boolean prefixReuse,
    boolean checkedKv,
    boolean audit,
    CaptureMoment capture,
    GraphLimits graphs,
    AdapterOptions adapters,
    KvGrowth kvGrowth) {

  /** Checks the numbers. */
  public EngineOptions {
    if (inFlight < 1 || inFlight > 2) {
      throw new IllegalArgumentException("One or two steps can be in flight, not " + inFlight);
    }
    if (audit && inFlight != 1) {
      throw new IllegalArgumentException("An audit compares step by step: one step in flight");
    }
    if (kvGrowth.maxBlocks() != 0 && kvGrowth.maxBlocks() < decode.kvBlocks()) {
      throw new IllegalArgumentException(
          "A KV pool that starts with %d blocks cannot grow to %d"
              .formatted(decode.kvBlocks(), kvGrowth.maxBlocks()));
    }
    if (maxWaiting < 1) {
      throw new IllegalArgumentException(
          "At least one request must be able to wait: " + maxWaiting);
    }
  }

  /** For serving: two steps in flight, prefixes shared, captures when idle. */
  public static EngineOptions serving(DecodeOptions decode) {
    return new EngineOptions(
        decode,
        256,
        2,
        true,
        false,
        false,
        CaptureMoment.WHEN_IDLE,
        GraphLimits.standard(),
        AdapterOptions.NONE,
        KvGrowth.NONE);
  }

  /** One step at a time, nothing shared, captures at first use. */
  public static EngineOptions serial(DecodeOptions decode) {
    return new EngineOptions(
        decode,
        1,
        1,
        false,
        false,
        false,
        CaptureMoment.AT_FIRST_USE,
        GraphLimits.standard(),
        AdapterOptions.NONE,
        KvGrowth.NONE);
  }

  /** The same with another limit on waiting requests. */
  public EngineOptions withMaxWaiting(int most) {
    return new EngineOptions(
        decode, most, inFlight, prefixReuse, checkedKv, audit, capture, graphs, adapters, kvGrowth);
  }

  /** The same with one or two steps in flight. */
  public EngineOptions withInFlight(int steps) {
    return new EngineOptions(
        decode,
        maxWaiting,
        steps,
        prefixReuse,
        checkedKv,
        audit,
        capture,
        graphs,
        adapters,
        kvGrowth);
  }

  /** The same with prefixes shared or not. */
  public EngineOptions withPrefixReuse(boolean reuse) {
    return new EngineOptions(
        decode, maxWaiting, inFlight, reuse, checkedKv, audit, capture, graphs, adapters, kvGrowth);
  }

  /** The same with freed KV blocks poisoned or not. */
  public EngineOptions withCheckedKv(boolean checked) {
    return new EngineOptions(
        decode,
        maxWaiting,
        inFlight,
        prefixReuse,
        checked,
        audit,
        capture,
        graphs,
        adapters,
        kvGrowth);
  }

  /** The same with every replay audited, one step in flight. */
  public EngineOptions withAudit() {
    return new EngineOptions(
        decode, maxWaiting, 1, prefixReuse, checkedKv, true, capture, graphs, adapters, kvGrowth);
  }

  /** The same with captures at another moment. */
  public EngineOptions withCapture(CaptureMoment moment) {
    return new EngineOptions(
        decode,
        maxWaiting,
        inFlight,
        prefixReuse,
        checkedKv,
        audit,
        moment,
        graphs,
        adapters,
        kvGrowth);
  }

  /** The same with other limits on graphs. */
  public EngineOptions withGraphs(GraphLimits limits) {
    return new EngineOptions(
        decode,
        maxWaiting,
        inFlight,
        prefixReuse,
        checkedKv,
        audit,
        capture,
        limits,
        adapters,
        kvGrowth);
  }

  /** The same with room for adapters. */
  public EngineOptions withAdapters(AdapterOptions room) {
    return new EngineOptions(
        decode,
        maxWaiting,
        inFlight,
        prefixReuse,
        checkedKv,
        audit,
        capture,
        graphs,
        room,
        kvGrowth);
  }

  /** The same with a KV pool that grows in place. */
  public EngineOptions withKvGrowth(KvGrowth growth) {
    return new EngineOptions(
        decode,
        maxWaiting,
        inFlight,
        prefixReuse,
        checkedKv,
        audit,
        capture,
        graphs,
        adapters,
        growth);
  }
}
