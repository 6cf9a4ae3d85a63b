package dev.reprise.graph.cache;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The captured steps of a decode loop by their key, within limits. What is worth least leaves
 * first: bytes × recency × measured saving, and never a step in flight. One thread at a time.
 */
public final class GraphCache implements AutoCloseable {

  private final GraphLimits limits;
  private final Map<GraphKey, CapturedStep> steps = new LinkedHashMap<>();
  private long bytes;
  private long evictions;

  /** An empty cache. */
  public GraphCache(GraphLimits limits) {
    this.limits = limits;
  }

  /** The step of a key, or null. */
  public @Nullable CapturedStep find(GraphKey key) {
    return steps.get(key);
  }

  /** Whether another step has no room unless one is evicted. */
  public boolean full() {
    return steps.size() >= limits.maxGraphs() || bytes >= limits.maxBytes();
  }

  /**
   * Adds a captured step, and evicts the least useful while the limits are exceeded, which may be
   * the new one.
   *
   * @param next the number of the next launch
   * @param completed the number of the last launch that is complete
   * @param evict whether others may be evicted; if not, the new one gives way
   * @return whether the step was added
   * @throws IllegalStateException if the key has one
   */
  public boolean add(CapturedStep step, long next, long completed, boolean evict) {
    if (steps.putIfAbsent(step.key(), step) != null) {
      throw new IllegalStateException("A step is cached already for " + step.key());
    }
    bytes += step.cost().deviceBytes();
    while (steps.size() > limits.maxGraphs() || bytes > limits.maxBytes()) {
      CapturedStep victim =
          steps.values().stream()
              .filter(other -> evict ? !other.inFlight(completed) : other == step)
              .min(Comparator.comparingDouble(other -> other.benefit(next)))
              .orElse(step);
      remove(victim);
      if (victim == step) {
        return false;
      }
      evictions++;
    }
    return true;
  }

  /**
   * Device bytes of the steps that are not in flight, which is what {@link #giveUp} can give.
   *
   * @param completed the number of the last launch that is complete
   */
  public long idleBytes(long completed) {
    return steps.values().stream()
        .filter(step -> !step.inFlight(completed))
        .mapToLong(step -> step.cost().deviceBytes())
        .sum();
  }

  /**
   * Evicts the least useful steps that are not in flight until so many bytes are free or none is
   * left.
   *
   * @param wanted device bytes
   * @param next the number of the next launch
   * @param completed the number of the last launch that is complete
   * @return how many steps were evicted
   */
  public int giveUp(long wanted, long next, long completed) {
    int given = 0;
    long left = wanted;
    while (left > 0) {
      Optional<CapturedStep> victim =
          steps.values().stream()
              .filter(step -> !step.inFlight(completed))
              .min(Comparator.comparingDouble(step -> step.benefit(next)));
      if (victim.isEmpty()) {
        break;
      }
      left -= victim.get().cost().deviceBytes();
      remove(victim.get());
      evictions++;
      given++;
    }
    return given;
  }

  /** Takes a step out and closes it: it is destroyed after its replays in flight. */
  public void remove(CapturedStep step) {
    if (steps.remove(step.key(), step)) {
      bytes -= step.cost().deviceBytes();
      step.close();
    }
  }

  /**
   * Why a key is not there: the fields in which it differs from the nearest key that is. Empty when
   * nothing is cached.
   */
  public List<String> explainMiss(GraphKey key) {
    return steps.keySet().stream()
        .map(key::differences)
        .min(Comparator.comparingInt(List::size))
        .orElse(List.of());
  }

  /** All steps, in order of capture. */
  public Collection<CapturedStep> steps() {
    return Collections.unmodifiableCollection(steps.values());
  }

  /** Device bytes of all steps. */
  public long bytes() {
    return bytes;
  }

  /** How many steps were evicted. */
  public long evictions() {
    return evictions;
  }

  @Override
  public void close() {
    steps.values().forEach(CapturedStep::close);
    steps.clear();
    bytes = 0;
  }
}
