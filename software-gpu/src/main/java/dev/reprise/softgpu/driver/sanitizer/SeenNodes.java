package dev.reprise.softgpu.driver.sanitizer;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Nodes of launches of graphs that are under way which the program knows to have passed, since a
 * host function behind them has told it. Immutable.
 *
 * @param launches by the number of the stream, the latest launch of each
 */
record SeenNodes(Map<Integer, Launch> launches) {

  static final SeenNodes NONE = new SeenNodes(Map.of());

  /**
   * Nodes of one launch.
   *
   * @param number of the launch among the work of its stream
   * @param nodes not to be changed
   */
  record Launch(long number, BitSet nodes) {}

  /** True when the program knows that a node of a launch has passed. */
  boolean has(int lane, long number, int node) {
    Launch launch = launches.get(lane);
    return launch != null && launch.number == number && node >= 0 && launch.nodes.get(node);
  }

  /** These, and nodes of a launch that is the latest of its stream. */
  SeenNodes with(int lane, long number, BitSet nodes) {
    BitSet all = (BitSet) nodes.clone();
    Launch before = launches.get(lane);
    if (before != null && before.number == number) {
      all.or(before.nodes);
    }
    Map<Integer, Launch> changed = new HashMap<>(launches);
    changed.put(lane, new Launch(number, all));
    return new SeenNodes(Map.copyOf(changed));
  }
}
