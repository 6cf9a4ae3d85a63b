package dev.reprise.graph.schedule;

import dev.reprise.graph.kv.BlockMemory;
import dev.reprise.graph.kv.KvBlocks;
import dev.reprise.graph.kv.KvLayout;
import dev.reprise.graph.kv.KvSequence;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A scheduler with a pretended device: steps complete in order, a few steps later. */
final class SchedulerRig implements ScheduleListener<ScheduledSequence> {

  static final int BLOCK = 4;

  private record Flight(String text, List<ScheduledSequence> rows, @Nullable Runnable computed) {}

  final KvBlocks blocks;
  final Scheduler<ScheduledSequence> scheduler;
  final List<String> events = new ArrayList<>();
  final List<String> launched = new ArrayList<>();
  private final Deque<Flight> flights = new ArrayDeque<>();
  private final int depth;
  long now;

  SchedulerRig(int kvBlocks, int maxWaiting, int maxRunning, int chunk, int depth) {
    this(kvBlocks, new SchedulerOptions(maxWaiting, maxRunning, chunk, ""), depth);
  }

  SchedulerRig(int kvBlocks, SchedulerOptions options, int depth) {
    blocks = new KvBlocks(new KvLayout(1, 1, 32, BLOCK), kvBlocks, BlockMemory.NONE);
    scheduler = new Scheduler<>(blocks, options, this);
    this.depth = depth;
  }

  ScheduledSequence submit(String name, int prompt, int more) {
    return submit(name, prompt, more, Priority.NORMAL, "", Long.MAX_VALUE);
  }

  ScheduledSequence submit(
      String name, int prompt, int more, Priority priority, String flow, long deadline) {
    int[] tokens = new int[prompt];
    java.util.Arrays.setAll(tokens, i -> name.hashCode() + i);
    ScheduledSequence sequence =
        new ScheduledSequence(name, tokens, prompt + more, priority, flow, deadline);
    scheduler.submit(sequence);
    return sequence;
  }

  /** Launches up to the depth, then completes the oldest. */
  boolean turn() {
    while (flights.size() < depth && launch()) {}
    if (flights.isEmpty()) {
      return false;
    }
    complete();
    return true;
  }

  private boolean launch() {
    Decision<ScheduledSequence> decision = scheduler.next(now);
    switch (decision) {
      case Decision.Prefill<ScheduledSequence> p -> {
        StringBuilder text = new StringBuilder();
        List<ScheduledSequence> sampled = new ArrayList<>();
        List<Runnable> computed = new ArrayList<>();
        for (Decision.Chunk<ScheduledSequence> chunk : p.chunks()) {
          ScheduledSequence s = chunk.sequence();
          text.append(text.isEmpty() ? "" : ", ")
              .append(s.name() + " " + chunk.from() + ".." + chunk.to());
          KvSequence kv = java.util.Objects.requireNonNull(s.kv());
          computed.add(() -> scheduler.computed(s, kv, chunk.to()));
          if (chunk.last()) {
            sampled.add(s);
          }
        }
        flights.add(new Flight(text.toString(), sampled, () -> computed.forEach(Runnable::run)));
        launched.add(text.toString());
      }
      case Decision.Decode<ScheduledSequence> d -> {
        StringBuilder text = new StringBuilder("decode");
        scheduler.rows().forEach(s -> text.append(' ').append(s.name()));
        flights.add(new Flight(text.toString(), List.copyOf(scheduler.rows()), null));
        launched.add(text.toString());
      }
      case Decision.Idle<ScheduledSequence> i -> {
        return false;
      }
    }
    scheduler.launched(decision);
    return true;
  }

  private void complete() {
    Flight flight = flights.removeFirst();
    if (flight.computed() != null) {
      flight.computed().run();
    }
    for (ScheduledSequence s : flight.rows()) {
      if (s.state() != ScheduledSequence.State.ENDED) {
        scheduler.read(s, 1000 + s.known());
        if (s.known() == s.maxLength()) {
          scheduler.end(s);
          events.add("done " + s.name());
        }
      }
    }
  }

  void run() {
    while (turn()) {}
  }

  List<String> launchedSince(int from) {
    return launched.subList(from, launched.size());
  }

  @Override
  public void joined(ScheduledSequence s, int row) {}

  @Override
  public void moved(ScheduledSequence s, int from, int to) {}

  @Override
  public void left(ScheduledSequence s, int lastRow) {}

  @Override
  public void admitted(ScheduledSequence s) {}

  @Override
  public void regrown(ScheduledSequence s) {}

  @Override
  public void released(ScheduledSequence s) {}

  @Override
  public void preempted(ScheduledSequence s) {
    events.add("preempted " + s.name());
  }

  @Override
  public void expired(ScheduledSequence s) {
    events.add("expired " + s.name());
  }
}
