package dev.reprise.cuda;

import dev.reprise.bindings.cuda.CUDA_BATCH_MEM_OP_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUstreamBatchMemOpParams;
import dev.reprise.bindings.cuda.CUstreamBatchMemOpParams_union.CUstreamMemOpWaitValueParams_st;
import dev.reprise.bindings.cuda.CUstreamBatchMemOpParams_union.CUstreamMemOpWriteValueParams_st;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Checked calls of CUDA Driver API, "Stream Memory Operations" and "Graph Management", about
 * batches.
 */
final class BatchMemoryCalls {

  private static final int MAX_OPERATIONS = 255;

  private BatchMemoryCalls() {}

  private static void check(int code, String function, Object operations) {
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, function, "operations", operations);
    }
  }

  /** Refuses what the driver would, for its message names no numbers. */
  static void checkCount(List<WordOperation> operations) {
    if (operations.isEmpty() || operations.size() > MAX_OPERATIONS) {
      throw new IllegalArgumentException(
          "A batch has 1 to %d operations, not %d.".formatted(MAX_OPERATIONS, operations.size()));
    }
  }

  /** Enters what the operations use. */
  static void enter(Context context, List<WordOperation> operations, CaptureLedger uses) {
    for (int i = 0; i < operations.size(); i++) {
      operations.get(i).enter(context, i, uses);
    }
  }

  private static MemorySegment params(
      Context context, Arena arena, List<WordOperation> operations) {
    MemorySegment p = CUDA_BATCH_MEM_OP_NODE_PARAMS.allocate(arena).fill((byte) 0);
    CUDA_BATCH_MEM_OP_NODE_PARAMS.ctx(p, context.handle());
    CUDA_BATCH_MEM_OP_NODE_PARAMS.count(p, operations.size());
    CUDA_BATCH_MEM_OP_NODE_PARAMS.paramArray(p, array(arena, operations));
    return p;
  }

  private static MemorySegment array(Arena arena, List<WordOperation> operations) {
    MemorySegment array = CUstreamBatchMemOpParams.allocateArray(operations.size(), arena);
    array.fill((byte) 0);
    for (int i = 0; i < operations.size(); i++) {
      write(operations.get(i), CUstreamBatchMemOpParams.asSlice(array, i));
    }
    return array;
  }

  static void issue(Context context, List<WordOperation> operations, StreamHandle stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment array = array(arena, operations);
      context.makeCurrent();
      int code = cuda_h.cuStreamBatchMemOp_v2(stream.value(), operations.size(), array, 0);
      if (code != Failures.SUCCESS) {
        throw Failures.of(
            code, "cuStreamBatchMemOp_v2", "operations", operations, "stream", stream.label());
      }
    }
  }

  private static void write(WordOperation operation, MemorySegment p) {
    CUstreamBatchMemOpParams.operation(p, operation.code());
    if (operation.isWait()) {
      MemorySegment wait = CUstreamBatchMemOpParams.waitValue(p);
      CUstreamMemOpWaitValueParams_st.address(wait, operation.address());
      CUstreamMemOpWaitValueParams_st.value64(wait, operation.value());
      CUstreamMemOpWaitValueParams_st.flags(wait, operation.flags());
    } else if (!operation.isBarrier()) {
      MemorySegment write = CUstreamBatchMemOpParams.writeValue(p);
      CUstreamMemOpWriteValueParams_st.address(write, operation.address());
      CUstreamMemOpWriteValueParams_st.value64(write, operation.value());
      CUstreamMemOpWriteValueParams_st.flags(write, operation.flags());
    }
  }

  static MemorySegment add(
      Context context,
      List<WordOperation> operations,
      MemorySegment graph,
      MemorySegment deps,
      long count) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = params(context, arena, operations);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      check(
          cuda_h.cuGraphAddBatchMemOpNode(scratch.first, graph, deps, count, params),
          "cuGraphAddBatchMemOpNode",
          operations);
      return scratch.firstHandle();
    }
  }

  static void set(Context context, MemorySegment node, List<WordOperation> operations) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = params(context, arena, operations);
      context.makeCurrent();
      check(
          cuda_h.cuGraphBatchMemOpNodeSetParams(node, params),
          "cuGraphBatchMemOpNodeSetParams",
          operations);
    }
  }

  static void setInExec(
      Context context, GraphExecHandle exec, BatchMemoryNode node, List<WordOperation> operations) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = params(context, arena, operations);
      context.makeCurrent();
      check(
          cuda_h.cuGraphExecBatchMemOpNodeSetParams(exec.value(), node.value(), params),
          "cuGraphExecBatchMemOpNodeSetParams",
          operations);
    }
  }

  static int count(Context context, MemorySegment node) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = CUDA_BATCH_MEM_OP_NODE_PARAMS.allocate(arena);
      context.makeCurrent();
      check(
          cuda_h.cuGraphBatchMemOpNodeGetParams(node, params),
          "cuGraphBatchMemOpNodeGetParams",
          "?");
      return CUDA_BATCH_MEM_OP_NODE_PARAMS.count(params);
    }
  }
}
