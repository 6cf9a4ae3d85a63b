package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUDA_BATCH_MEM_OP_NODE_PARAMS;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.graph.GraphExec;
import dev.reprise.softgpu.driver.graph.GraphUpdate;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.operation.WordBatch;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.WeakHashMap;

/** Nodes of graphs that write and wait for numbers in memory. */
final class BatchNodeFunctions extends Functions {

  /** The arrays that callers may read as long as the node lives. */
  private static final Map<Node, MemorySegment> GIVEN_OUT = new WeakHashMap<>();

  BatchNodeFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuGraphAddBatchMemOpNode(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      MemorySegment params) {
    return GraphHandles.addNode(
        this, phNode, hGraph, dependencies, count, WordOperations.ofNode(this, params));
  }

  int cuGraphBatchMemOpNodeGetParams(MemorySegment hNode, MemorySegment params) {
    Node node = GraphHandles.node(this, hNode, "hNode");
    WordBatch batch = batch(node);
    MemorySegment p =
        CallerMemory.struct(params, CUDA_BATCH_MEM_OP_NODE_PARAMS.sizeof(), "nodeParams_out");
    MemorySegment array = WordOperations.array(batch);
    synchronized (GIVEN_OUT) {
      GIVEN_OUT.put(node, array);
    }
    p.fill((byte) 0);
    CUDA_BATCH_MEM_OP_NODE_PARAMS.ctx(p, MemorySegment.ofAddress(context().handle()));
    CUDA_BATCH_MEM_OP_NODE_PARAMS.count(p, batch.operations().size());
    CUDA_BATCH_MEM_OP_NODE_PARAMS.paramArray(p, array);
    return SUCCESS;
  }

  int cuGraphBatchMemOpNodeSetParams(MemorySegment hNode, MemorySegment params) {
    Node node = GraphHandles.node(this, hNode, "hNode");
    batch(node);
    node.graph().replace(node, WordOperations.ofNode(this, params));
    return SUCCESS;
  }

  int cuGraphExecBatchMemOpNodeSetParams(
      MemorySegment hGraphExec, MemorySegment hNode, MemorySegment params) {
    GraphExec exec = GraphHandles.exec(this, hGraphExec);
    Node node = GraphHandles.node(this, hNode, "hNode");
    WordBatch replacement = WordOperations.ofNode(this, params);
    if (!GraphUpdate.compatible(exec.operation(node), replacement)) {
      throw CudaFailure.invalidValue(
          "%s cannot become %s; the number and types of the operations must stay"
              .formatted(exec.operation(node).describe(), replacement.describe()));
    }
    exec.replace(node, replacement);
    return SUCCESS;
  }

  private static WordBatch batch(Node node) {
    if (node.operation() instanceof WordBatch batch) {
      return batch;
    }
    throw CudaFailure.invalidValue(node + " is of type " + node.type());
  }
}
