package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.graph.GraphExec;
import dev.reprise.softgpu.driver.graph.GraphUpdate;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.operation.NodeType;
import dev.reprise.softgpu.driver.operation.SemaphoreOperation;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.WeakHashMap;

/** Nodes of graphs that signal external semaphores or wait for them. */
final class SemaphoreNodeFunctions extends Functions {

  /** The arrays that callers may read as long as the node lives. */
  private static final Map<Node, MemorySegment> GIVEN_OUT = new WeakHashMap<>();

  SemaphoreNodeFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuGraphAddExternalSemaphoresSignalNode(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      MemorySegment params) {
    return GraphHandles.addNode(
        this, phNode, hGraph, dependencies, count, read(NodeType.EXT_SEMAS_SIGNAL, params));
  }

  int cuGraphAddExternalSemaphoresWaitNode(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      MemorySegment params) {
    return GraphHandles.addNode(
        this, phNode, hGraph, dependencies, count, read(NodeType.EXT_SEMAS_WAIT, params));
  }

  private SemaphoreOperation read(NodeType type, MemorySegment params) {
    return SemaphoreParameters.ofNode(this, context(), type, params);
  }

  int cuGraphExternalSemaphoresSignalNodeGetParams(MemorySegment hNode, MemorySegment params) {
    return get(NodeType.EXT_SEMAS_SIGNAL, hNode, params);
  }

  int cuGraphExternalSemaphoresWaitNodeGetParams(MemorySegment hNode, MemorySegment params) {
    return get(NodeType.EXT_SEMAS_WAIT, hNode, params);
  }

  private int get(NodeType type, MemorySegment hNode, MemorySegment params) {
    Node node = GraphHandles.node(this, hNode, "hNode");
    SemaphoreOperation operation = operation(node, type);
    MemorySegment arrays = SemaphoreParameters.arrays(operation);
    SemaphoreParameters.write(operation, arrays, params);
    synchronized (GIVEN_OUT) {
      GIVEN_OUT.put(node, arrays);
    }
    return SUCCESS;
  }

  int cuGraphExternalSemaphoresSignalNodeSetParams(MemorySegment hNode, MemorySegment params) {
    return set(NodeType.EXT_SEMAS_SIGNAL, hNode, params);
  }

  int cuGraphExternalSemaphoresWaitNodeSetParams(MemorySegment hNode, MemorySegment params) {
    return set(NodeType.EXT_SEMAS_WAIT, hNode, params);
  }

  private int set(NodeType type, MemorySegment hNode, MemorySegment params) {
    Node node = GraphHandles.node(this, hNode, "hNode");
    operation(node, type);
    node.graph().replace(node, read(type, params));
    return SUCCESS;
  }

  int cuGraphExecExternalSemaphoresSignalNodeSetParams(
      MemorySegment hGraphExec, MemorySegment hNode, MemorySegment params) {
    return setInExec(NodeType.EXT_SEMAS_SIGNAL, hGraphExec, hNode, params);
  }

  int cuGraphExecExternalSemaphoresWaitNodeSetParams(
      MemorySegment hGraphExec, MemorySegment hNode, MemorySegment params) {
    return setInExec(NodeType.EXT_SEMAS_WAIT, hGraphExec, hNode, params);
  }

  private int setInExec(
      NodeType type, MemorySegment hGraphExec, MemorySegment hNode, MemorySegment params) {
    GraphExec exec = GraphHandles.exec(this, hGraphExec);
    Node node = GraphHandles.node(this, hNode, "hNode");
    SemaphoreOperation replacement = read(type, params);
    if (!GraphUpdate.compatible(exec.operation(node), replacement)) {
      throw CudaFailure.invalidValue(
          "%s cannot become %s; the number of semaphores must stay"
              .formatted(exec.operation(node).describe(), replacement.describe()));
    }
    exec.replace(node, replacement);
    return SUCCESS;
  }

  private static SemaphoreOperation operation(Node node, NodeType type) {
    if (node.operation() instanceof SemaphoreOperation operation && operation.type() == type) {
      return operation;
    }
    throw CudaFailure.invalidValue(node + " is of type " + node.type());
  }
}
