package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.operation.LaunchBound;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.queue.Choices;
import dev.reprise.softgpu.driver.queue.CurrentWork;
import dev.reprise.softgpu.driver.queue.Steps;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.queue.WorkObserver;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * What one launch of an executable graph does, or one run of a body: the operations of all nodes,
 * child graphs expanded, each after those it depends on. Immutable, so that an update never touches
 * a launch that was enqueued before it. Runs the operations one after the other, which is one of
 * the orders that the edges allow; a simulation has it take any of them.
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

  /** For each operation the numbers of those it comes after. */
  private final List<BitSet> before;

  private final boolean body;

  Plan(List<Step> steps, List<BitSet> before, boolean body) {
    this.before = before;
    this.body = body;
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
      public Steps steps() {
        return new PlanSteps(all, before, body);
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
  public Steps steps() {
    return new PlanSteps(works, before, body);
  }

  @Override
  public void run() {
    Choices choices = Choices.current();
    if (choices == null) {
      runAll(works);
      return;
    }
    for (Steps left = steps(); !left.done(); ) {
      left.run(choices.oneOf(left.ready()));
    }
  }

  private void runAll(List<Work> all) {
    for (int i = 0; i < all.size(); i++) {
      runOne(all.get(i), i, before.get(i), body);
    }
  }

  /** Runs one operation of a graph, under the eyes of who observes. */
  static void runOne(Work work, int number, BitSet earlier, boolean body) {
    WorkObserver observer = CurrentWork.observer();
    if (observer == null) {
      work.run();
    } else if (body) {
      observer.run(work, -1, null);
    } else {
      observer.run(work, number, earlier);
    }
  }

  @Override
  public String toString() {
    return "graph of " + works.size() + " operations";
  }
}
