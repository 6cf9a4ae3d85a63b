package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.Copy;
import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.support.CudaFailure;

/**
 * What the bodies of conditional nodes may hold, child graphs and bodies inside them included:
 * {@code CUDA_CONDITIONAL_NODE_PARAMS} in the driver API manual, and CUDA Programming Guide,
 * "Conditional Nodes".
 */
final class BodyRules {

  private BodyRules() {}

  /** Refuses an operation that no body may hold. */
  static void check(Operation operation, Conditional around) {
    switch (operation.type()) {
      case KERNEL ->
          checkContext(operation, ((KernelLaunch) operation).function().image().owner(), around);
      case MEMCPY -> {
        if (((Copy) operation).pageable()) {
          throw CudaFailure.invalidValue(
              operation.describe()
                  + ": the body of a conditional node cannot copy pageable host memory");
        }
      }
      case EMPTY, MEMSET -> {}
      case CHILD_GRAPH ->
          ((Nesting) operation)
              .graphs()
              .forEach(graph -> graph.nodes().forEach(node -> check(node.operation(), around)));
      case CONDITIONAL ->
          checkContext(operation, ((Conditional) operation).condition().context(), around);
      default ->
          throw CudaFailure.invalidValue(
              "the body of a conditional node cannot hold a node of type " + operation.type());
    }
  }

  private static void checkContext(Operation operation, Object context, Conditional around) {
    if (context != around.condition().context()) {
      throw CudaFailure.invalidValue(
          operation.describe() + " belongs to another context than the conditional node around it");
    }
  }
}
