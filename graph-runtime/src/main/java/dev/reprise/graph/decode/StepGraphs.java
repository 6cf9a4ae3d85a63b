package dev.reprise.graph.decode;

import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.StaleGraphException;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.cache.CaptureCost;
import dev.reprise.graph.cache.CapturedStep;
import dev.reprise.graph.cache.GraphCache;
import dev.reprise.graph.cache.GraphLimits;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Captures steps, keeps them within limits, and keeps from trying again where that failed or does
 * not pay.
 */
final class StepGraphs implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StepGraphs.class);

  private final Device device;
  private final Stream stream;
  private final GraphLimits limits;
  private final LongPredicate budget;
  private final GraphCache cache;
  private final Map<String, Long> failures = new TreeMap<>();
  private final Map<StepShape, CaptureCost> costs = new LinkedHashMap<>();
  private long captures;
  private long nanos;
  private long stale;
  private long givenUp;

  /** Captures since one was replayed twice. */
  private int unproven;

  private long breakerTrips;
  private long breakerUntil;

  /**
   * @param budget whether so many more device bytes may be taken
   */
  StepGraphs(Device device, Stream stream, GraphLimits limits, LongPredicate budget) {
    this.device = device;
    this.budget = budget;
    this.stream = stream;
    this.limits = limits;
    this.cache = new GraphCache(limits);
  }

  /**
   * Captures a step; waits for the upload. A failure is logged and counted, and the step backs off.
   *
   * @param next the number of the next launch
   * @param completed the number of the last launch that is complete
   * @param evict whether others may be evicted to make room: not by a warm-up, which captures what
   *     nobody has asked for yet and so says nothing of keys that come and go
   * @throws CudaException if the failure poisoned the context
   */
  boolean capture(PreparedStep step, long next, long completed, boolean evict) {
    if (limits.maxGraphs() == 0 || (!evict && cache.full())) {
      step.backOff(EagerReason.NO_ROOM);
      return false;
    }
    if (evict && breakerOpen(next)) {
      step.backOff(EagerReason.BREAKER);
      return false;
    }
    CaptureCost before = costs.get(step.shape);
    if (before != null && !budget.test(before.deviceBytes())) {
      step.backOff(EagerReason.NO_ROOM);
      return false;
    }
    if (LOG.isDebugEnabled()) {
      LOG.debug("Capturing {}: differs in {}", step.shape, cache.explainMiss(step.key));
    }
    long start = System.nanoTime();
    try {
      CapturedStep captured = make(step);
      captured.wanted(step.misses(), next);
      costs.put(step.shape, captured.cost());
      captures++;
      unproven += evict ? 1 : 0;
      if (!budget.test(captured.cost().deviceBytes())) {
        captured.close();
      } else if (cache.add(captured, next, completed, evict)) {
        step.captured(captured);
        return true;
      }
      step.backOff(EagerReason.NO_ROOM);
      return false;
    } catch (CudaException e) {
      if (e.contextPoisoned()) {
        throw e;
      }
      failed(step, e.name(), e);
      return false;
    } catch (IllegalStateException e) {
      failed(step, "refused before the driver was asked", e);
      return false;
    } finally {
      nanos += System.nanoTime() - start;
    }
  }

  private void failed(PreparedStep step, String reason, RuntimeException e) {
    step.backOff(EagerReason.CAPTURE_FAILED);
    failures.merge(reason, 1L, Long::sum);
    LOG.warn("The capture of {} failed, so its steps run eagerly: {}", step.shape, e.getMessage());
    LOG.debug("Where the capture failed", e);
  }

  /** Whether captures pause because the last ones did not pay. Tries one again after a while. */
  private boolean breakerOpen(long next) {
    if (unproven < limits.unprovenCaptures()) {
      return false;
    }
    if (breakerUntil == 0) {
      breakerTrips++;
      breakerUntil = next + 16L * limits.unprovenCaptures();
      LOG.warn(
          "The last {} graphs were hardly replayed; none is captured before step {}. Use fewer or"
              + " coarser buckets.",
          unproven,
          breakerUntil);
    }
    if (next < breakerUntil) {
      return true;
    }
    breakerUntil = 0;
    unproven--;
    return false;
  }

  private CapturedStep make(PreparedStep step) {
    long freeBefore = device.memoryInfo().freeBytes();
    long start = System.nanoTime();
    Graph graph = stream.capture(capture -> step.enqueue(stream));
    long captured = System.nanoTime();
    GraphExec exec = null;
    try {
      exec = graph.instantiate();
      long instantiated = System.nanoTime();
      exec.upload(stream);
      stream.synchronize();
      long uploaded = System.nanoTime();
      CaptureCost cost =
          new CaptureCost(
              captured - start,
              instantiated - captured,
              uploaded - instantiated,
              freeBefore - device.memoryInfo().freeBytes(),
              graph.nodeCount());
      return new CapturedStep(step.key, graph, exec, cost);
    } catch (RuntimeException e) {
      if (exec != null) {
        exec.close();
      }
      graph.close();
      throw e;
    }
  }

  /**
   * Replays a captured step.
   *
   * @return whether it was launched; if memory that it uses was closed or moved, it is dropped
   */
  boolean replay(PreparedStep step, CapturedStep captured, long launch) {
    try {
      captured.replay(stream, launch);
    } catch (StaleGraphException e) {
      stale++;
      cache.remove(captured);
      step.lost(EagerReason.STALE);
      LOG.warn("A graph is dropped and its step runs eagerly: {}", e.getMessage());
      return false;
    }
    if (captured.replays() == 2) {
      unproven = 0;
    }
    return true;
  }

  /**
   * Gives up captured steps that are not in flight, those worth least first, for memory that is
   * wanted more elsewhere. Their steps run eagerly from then on.
   *
   * @param wanted device bytes; if all of them together take fewer, none is given up
   * @return whether that was enough
   */
  boolean giveUp(long wanted, long next, long completed) {
    if (cache.idleBytes(completed) < wanted) {
      return false;
    }
    int given = cache.giveUp(wanted, next, completed);
    givenUp += given;
    LOG.info("{} graphs are given up for {} bytes that the KV pool needs", given, wanted);
    return given > 0;
  }

  /** Host time of all captures so far, instantiation and upload included. */
  long nanos() {
    return nanos;
  }

  /** What each captured step cost the last time, by shape, in order of the first capture. */
  Map<StepShape, CaptureCost> costs() {
    return new LinkedHashMap<>(costs);
  }

  /** How often captures failed, by the name of the error. */
  Map<String, Long> failures() {
    return Map.copyOf(failures);
  }

  /** Device bytes that the captured steps take. */
  long bytes() {
    return cache.bytes();
  }

  /** Counters and gauges. */
  GraphMetrics metrics() {
    return new GraphMetrics(
        captures,
        failures(),
        cache.steps().size(),
        cache.bytes(),
        cache.evictions(),
        givenUp,
        stale,
        breakerTrips,
        nanos,
        costs());
  }

  @Override
  public void close() {
    cache.close();
  }
}
