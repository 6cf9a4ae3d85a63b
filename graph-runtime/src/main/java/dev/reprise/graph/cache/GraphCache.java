package dev.reprise.graph.cache;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The captured steps of a decode loop by their key. One thread at a time. */
public final class GraphCache implements AutoCloseable {

  private final Map<GraphKey, CapturedStep> steps = new LinkedHashMap<>();

  /** The step of a key, or null. */
  public @Nullable CapturedStep find(GraphKey key) {
    return steps.get(key);
  }

  /**
   * Adds a captured step.
   *
   * @throws IllegalStateException if the key has one
   */
  public void add(CapturedStep step) {
    if (steps.putIfAbsent(step.key(), step) != null) {
      throw new IllegalStateException("A step is cached already for " + step.key());
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

  @Override
  public void close() {
    steps.values().forEach(CapturedStep::close);
    steps.clear();
  }
}
