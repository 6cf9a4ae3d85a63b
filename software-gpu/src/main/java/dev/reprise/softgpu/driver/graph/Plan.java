package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.operation.LaunchBound;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.queue.CurrentWork;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.queue.WorkObserver;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one launch of an executable graph does, or one run of a body: the operations of all nodes,
 * child graphs expanded, each after those it depends on. Immutable, so that an update never touches
 * a launch that was enqueued before it. Runs the operations one after the other, which is one of
 * the orders that the edges allow.
 */
final class Plan implements Work {

  /**
   * One node.
   *
   * @param bodies what its bodies do, for a conditional node
   */
  record Step(Operation operation, List<Plan> bodies) {

    Work work() {
      return operation instanceof Conditional conditional
          ? new Branching(conditional, bodies)
          : operation;
    }
  }

  private final List<Step> steps;
  private final List<Work> works;
  private final boolean bound;

  /** For each operation the numbers of those it comes after; null for a body. */
  private final @Nullable List<BitSet> before;

  Plan(List<Step> steps, @Nullable List<BitSet> before) {
    this.before = before;
    this.steps = List.copyOf(steps);
    this.works = steps.stream().map(Step::work).toList();
    this.bound = steps.stream().anyMatch(step -> step.operation() instanceof LaunchBound);
  }

  /** Refuses kernels whose module was unloaded after the graph was made. */
  void checkLoaded() {
    for (Step step : steps) {
      if (step.operation() instanceof KernelLaunch launch && !launch.function().image().loaded()) {
        throw CudaFailure.invalidHandle(
            "the graph holds " + launch.describe() + ", whose module was unloaded");
      }
      step.bodies().forEach(Plan::checkLoaded);
    }
  }

  /**
   * What one launch enqueues: the plan itself, unless it has operations that are bound anew.
   *
   * @param bindings gets those, to be told when the launch is enqueued
   */
  Work forLaunch(List<LaunchBound.Binding> bindings) {
    if (!bound) {
      return this;
    }
    List<Work> all = new ArrayList<>(works.size());
    for (int i = 0; i < works.size(); i++) {
      if (steps.get(i).operation() instanceof LaunchBound launchBound) {
        LaunchBound.Binding binding = launchBound.bind();
        bindings.add(binding);
        all.add(binding);
      } else {
        all.add(works.get(i));
      }
    }
    return new Work() {
      @Override
      public void run() {
        runAll(all);
      }

      @Override
      public List<? extends Work> parts() {
        return all;
      }

      @Override
      public String toString() {
        return Plan.this.toString();
      }
    };
  }

  @Override
  public List<? extends Work> parts() {
    return works;
  }

  @Override
  public void run() {
    runAll(works);
  }

  private void runAll(List<Work> all) {
    WorkObserver observer = CurrentWork.observer();
    for (int i = 0; i < all.size(); i++) {
      if (observer == null) {
        all.get(i).run();
      } else if (before == null) {
        observer.run(all.get(i), -1, null);
      } else {
        observer.run(all.get(i), i, before.get(i));
      }
    }
  }

  @Override
  public String toString() {
    return "graph of " + works.size() + " operations";
  }
}
