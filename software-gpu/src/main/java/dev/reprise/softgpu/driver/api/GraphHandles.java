package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.graph.Graph;
import dev.reprise.softgpu.driver.graph.GraphExec;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.graph.UserObject;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Handled;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Graph objects by handle. The graph functions answer {@code CUDA_ERROR_INVALID_VALUE} for a handle
 * that is not one.
 */
final class GraphHandles {

  private GraphHandles() {}

  static Graph graph(Functions functions, MemorySegment handle, String argument) {
    return require(functions, handle, Graph.class, argument);
  }

  static Node node(Functions functions, MemorySegment handle, String argument) {
    return require(functions, handle, Node.class, argument);
  }

  static GraphExec exec(Functions functions, MemorySegment handle) {
    return require(functions, handle, GraphExec.class, "hGraphExec");
  }

  static UserObject userObject(Functions functions, MemorySegment handle) {
    return require(functions, handle, UserObject.class, "object");
  }

  /** Adds a node to a graph and writes its handle. */
  static int addNode(
      Functions functions,
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      Operation operation) {
    return addNode(functions, phNode, hGraph, dependencies, MemorySegment.NULL, count, operation);
  }

  /** As above, with data of the edges. */
  static int addNode(
      Functions functions,
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      MemorySegment edgeData,
      long count,
      Operation operation) {
    Graph graph = graph(functions, hGraph, "hGraph");
    CallerMemory.required(phNode, "phGraphNode");
    List<Node> after =
        NodeArguments.nodes(functions.handles(), dependencies, count, "dependencies");
    Node node = graph.add(operation, after, NodeArguments.edgeKinds(edgeData, count));
    CallerMemory.writeLong(phNode, "phGraphNode", node.handle());
    return Functions.SUCCESS;
  }

  private static <T extends Handled> T require(
      Functions functions, MemorySegment handle, Class<T> type, String argument) {
    functions.gpu().device();
    T object = functions.handles().find(handle.address(), type);
    if (object == null) {
      throw CudaFailure.invalidValue(
          "%s 0x%x is no live %s".formatted(argument, handle.address(), type.getSimpleName()));
    }
    return object;
  }
}
