package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.queue.Work;
import java.util.List;

/**
 * What one launch of an executable graph does: the operations of all nodes, child graphs expanded,
 * each after those it depends on. Immutable, so that an update never touches a launch that was
 * enqueued before it. Runs the operations one after the other, which is one of the orders that the
 * edges allow.
 */
final class Plan implements Work {

  private final Operation[] operations;

  Plan(List<Operation> operations) {
    this.operations = operations.toArray(Operation[]::new);
  }

  private Plan(Operation[] operations) {
    this.operations = operations;
  }

  Plan with(int index, Operation operation) {
    Operation[] changed = operations.clone();
    changed[index] = operation;
    return new Plan(changed);
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
