package dev.reprise.graph.schedule;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Waiting requests of one priority. Flows take turns by start-time fair queueing (Goyal, Vin and
 * Cheng, 1996): a flow's next request starts, in virtual time, where its last one ended, but not
 * before now, and the earliest start is served. A request costs its tokens, so that a flow of long
 * requests and one of short ones get equal shares. Within a flow the order is that of submission.
 *
 * <p>Costs grow with the logarithm of the number of flows and not with the number of requests.
 */
final class FairQueue<S extends ScheduledSequence> {

  private static final class Flow<S> {
    final String name;
    final LinkedHashSet<S> waiting = new LinkedHashSet<>();
    long start;
    long order;

    Flow(String name) {
      this.name = name;
    }
  }

  private final Map<String, Flow<S>> flows = new HashMap<>();
  private final TreeSet<Flow<S>> active =
      new TreeSet<>(
          Comparator.<Flow<S>>comparingLong(f -> f.start).thenComparingLong(f -> f.order));

  /** Flows without requests, until the virtual time has reached the end of their last one. */
  private final TreeSet<Flow<S>> resting =
      new TreeSet<>(
          Comparator.<Flow<S>>comparingLong(f -> f.start).thenComparingLong(f -> f.order));

  private long now;
  private long flowOrders;

  void add(S sequence) {
    Flow<S> flow = flows.computeIfAbsent(sequence.flow(), Flow::new);
    if (flow.waiting.isEmpty()) {
      resting.remove(flow);
      flow.start = Math.max(now, flow.start);
      flow.order = flowOrders++;
      active.add(flow);
    }
    flow.waiting.add(sequence);
  }

  /** The request to serve next, or null. */
  @Nullable S peek() {
    return active.isEmpty() ? null : active.first().waiting.getFirst();
  }

  /** Takes out what {@link #peek} gave, which is being served. */
  void served(S sequence) {
    Flow<S> flow = active.first();
    if (flow.waiting.getFirst() != sequence) {
      throw new IllegalStateException(sequence + " is not the next of " + flow.name);
    }
    active.remove(flow);
    flow.waiting.remove(sequence);
    now = flow.start;
    flow.start = now + sequence.maxLength();
    settle(flow);
  }

  /** Takes out a request that will not be served; it costs nothing. */
  void remove(S sequence) {
    Flow<S> flow = flows.get(sequence.flow());
    if (flow != null && flow.waiting.remove(sequence) && flow.waiting.isEmpty()) {
      active.remove(flow);
      settle(flow);
    }
  }

  private void settle(Flow<S> flow) {
    if (!flow.waiting.isEmpty()) {
      flow.order = flowOrders++;
      active.add(flow);
    } else {
      resting.add(flow);
    }
    while (!resting.isEmpty() && (active.isEmpty() || resting.first().start <= now)) {
      Flow<S> rested = resting.pollFirst();
      if (rested != null) {
        now = Math.max(now, rested.start);
        flows.remove(rested.name);
      }
    }
  }
}
