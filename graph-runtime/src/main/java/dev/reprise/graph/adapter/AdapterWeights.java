package dev.reprise.graph.adapter;

import java.util.Map;

/**
 * An adapter: what it adds to each projection that it has; it leaves the others as they are.
 *
 * @param projections by the name of the projection
 */
public record AdapterWeights(Map<String, LowRankWeights> projections) {

  /** Copies the map. */
  public AdapterWeights {
    projections = Map.copyOf(projections);
  }
}
