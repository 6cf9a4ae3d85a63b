package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.memory.GraphAllocation;
import dev.reprise.softgpu.driver.memory.GraphMemory;
import dev.reprise.softgpu.driver.operation.MemoryAllocation;
import dev.reprise.softgpu.driver.operation.MemoryFree;
import dev.reprise.softgpu.driver.queue.BegunSteps;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.queue.Steps;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The memory nodes of an executable graph, and what launches do about them. Such nodes exist in the
 * outermost graph only. Guarded by the executable graph.
 */
final class ExecMemory {

  private final @Nullable GraphMemory memory;
  private final Set<GraphAllocation> allocates = new LinkedHashSet<>();
  private final Set<GraphAllocation> frees = new LinkedHashSet<>();

  /** Those of the graph that an executable graph runs, until {@link #end}. */
  ExecMemory(Graph graph) {
    GraphMemory found = null;
    for (Node node : graph.nodes()) {
      if (node.operation() instanceof MemoryAllocation allocation) {
        found = allocation.memory();
        allocates.add(allocation.allocation());
      } else if (node.operation() instanceof MemoryFree free) {
        found = free.memory();
        frees.add(free.allocation());
      }
    }
    this.memory = found;
    if (found != null) {
      allocates.forEach(found::addExec);
    }
  }

  /**
   * Refuses a graph that frees what it allocates without being ordered behind the allocation, and
   * one whose memory nodes another executable graph has.
   */
  static void check(Graph graph, @Nullable GraphExec owner) {
    if (!graph.ofMemory()) {
      return;
    }
    if (!isFree(graph, owner)) {
      throw CudaFailure.notSupported(
          "a second executable graph of %s, which has memory nodes,".formatted(graph));
    }
    Map<GraphAllocation, Node> allocations = new HashMap<>();
    for (Node node : graph.nodes()) {
      if (node.operation() instanceof MemoryAllocation allocation) {
        allocations.put(allocation.allocation(), node);
      }
    }
    for (Node node : graph.nodes()) {
      if (node.operation() instanceof MemoryFree free) {
        Node allocation = allocations.get(free.allocation());
        if (allocation != null && !Graph.ancestorsAndSelf(List.of(node)).contains(allocation)) {
          throw CudaFailure.invalidValue(
              "%s does not come after the allocation by %s".formatted(node, allocation));
        }
      }
    }
  }

  /** True unless an executable graph other than this one has the memory nodes of a graph. */
  static boolean isFree(Graph graph, @Nullable GraphExec owner) {
    GraphExec other = graph.memoryOwner();
    return other == null || other == owner || other.destroyed();
  }

  /** True when there are none. */
  boolean isEmpty() {
    return memory == null;
  }

  /** Makes sure that the allocations have memory behind them. */
  void bind() {
    if (memory != null) {
      allocates.forEach(memory::bind);
    }
  }

  /** Takes note that the executable graph no longer has these nodes. */
  void end() {
    if (memory != null) {
      allocates.forEach(memory::removeExec);
    }
  }

  /**
   * Enqueues a launch.
   *
   * @param autoFree whether memory that an earlier launch left is freed first
   * @param owner the context of the launch
   */
  Marker launch(
      Work plan, Marker lastLaunch, boolean autoFree, Object owner, GraphExec.Launcher enqueue) {
    GraphMemory present = memory;
    if (present == null) {
      return enqueue.submit(plan, List.of(lastLaunch));
    }
    return present.launch(
        allocates,
        frees,
        autoFree,
        owner,
        (left, after) -> {
          List<Marker> all = new ArrayList<>(after);
          all.add(lastLaunch);
          return enqueue.submit(left.isEmpty() ? plan : new FreesFirst(present, left, plan), all);
        });
  }

  private record FreesFirst(GraphMemory memory, List<GraphAllocation> left, Work plan)
      implements Work {

    @Override
    public void run() {
      freeLeft();
      plan.run();
    }

    @Override
    public Steps steps() {
      return new BegunSteps(this::freeLeft, plan.asSteps());
    }

    private void freeLeft() {
      left.forEach(allocation -> new MemoryFree(memory, allocation).run());
    }

    @Override
    public String toString() {
      return plan.toString();
    }
  }
}
