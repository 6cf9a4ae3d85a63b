package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.operation.LaunchBound;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.util.ArrayList;
import java.util.List;

/**
 * What one launch of an executable graph does: the operations of all nodes, child graphs expanded,
 * each after those it depends on. Immutable, so that an update never touches a launch that was
 * enqueued before it. Runs the operations one after the other, which is one of the orders that the
 * edges allow.
 */
final class Plan implements Work {

  private final Operation[] operations;
  private final boolean bound;

  Plan(List<Operation> operations) {
    this(operations.toArray(Operation[]::new));
  }

  private Plan(Operation[] operations) {
    this.operations = operations;
    boolean any = false;
    for (Operation operation : operations) {
      any |= operation instanceof LaunchBound;
    }
    this.bound = any;
  }

  Plan with(int index, Operation operation) {
    Operation[] changed = operations.clone();
    changed[index] = operation;
    return new Plan(changed);
  }

  /** Refuses kernels whose module was unloaded after the graph was made. */
  void checkLoaded() {
    for (Operation operation : operations) {
      if (operation instanceof KernelLaunch launch && !launch.function().image().loaded()) {
        throw CudaFailure.invalidHandle(
            "the graph holds " + launch.describe() + ", whose module was unloaded");
      }
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
    List<Work> works = new ArrayList<>(operations.length);
    for (Operation operation : operations) {
      if (operation instanceof LaunchBound launchBound) {
        LaunchBound.Binding binding = launchBound.bind();
        bindings.add(binding);
        works.add(binding);
      } else {
        works.add(operation);
      }
    }
    return () -> works.forEach(Work::run);
  }

  List<Operation> operations() {
    return List.of(operations);
  }

  @Override
  public void run() {
    for (Operation operation : operations) {
      operation.run();
    }
  }

  @Override
  public String toString() {
    return "graph of " + operations.length + " operations";
  }
}
