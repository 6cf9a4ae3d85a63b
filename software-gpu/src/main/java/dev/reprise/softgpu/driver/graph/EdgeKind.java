package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.NodeType;
import dev.reprise.softgpu.driver.support.CudaFailure;

/**
 * When an edge lets the later node go ({@code CUgraphEdgeData}). Every kind is kept for those who
 * ask; here a later node always waits for the end of the earlier one, which every kind allows.
 *
 * @param fromPort what happens in the earlier node
 * @param type {@code CUgraphDependencyType}
 */
public record EdgeKind(int fromPort, int type) {

  /** A dependency on all of the earlier node. */
  public static final EdgeKind FULL = new EdgeKind(0, 0);

  private static final int PROGRAMMATIC_PORT = 1;
  private static final int LAUNCH_ORDER_PORT = 2;
  private static final int PROGRAMMATIC = 1;

  /** Refuses ports and types that do not exist or do not go together. */
  public EdgeKind {
    if (fromPort < 0 || fromPort > LAUNCH_ORDER_PORT || type < 0 || type > PROGRAMMATIC) {
      throw CudaFailure.invalidValue("an edge of type " + type + " from port " + fromPort);
    }
    if (fromPort == PROGRAMMATIC_PORT && type != PROGRAMMATIC) {
      throw CudaFailure.invalidValue("the programmatic port needs a programmatic edge");
    }
    if (fromPort == 0 && type == PROGRAMMATIC) {
      throw CudaFailure.invalidValue("a programmatic edge needs a port other than the default");
    }
  }

  /** Refuses nodes that cannot have such an edge between them. */
  void check(NodeType from, NodeType to) {
    if (fromPort != 0 && from != NodeType.KERNEL) {
      throw CudaFailure.invalidValue("a node of type " + from + " has no port " + fromPort);
    }
    if (type == PROGRAMMATIC && to != NodeType.KERNEL) {
      throw CudaFailure.invalidValue(
          "a programmatic edge leads to a kernel node, not to one of type " + to);
    }
  }
}
