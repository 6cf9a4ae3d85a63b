package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUDA_BATCH_MEM_OP_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUstreamBatchMemOpParams;
import dev.reprise.bindings.cuda.CUstreamBatchMemOpParams_union.CUstreamMemOpMemoryBarrierParams_st;
import dev.reprise.bindings.cuda.CUstreamBatchMemOpParams_union.CUstreamMemOpWaitValueParams_st;
import dev.reprise.bindings.cuda.CUstreamBatchMemOpParams_union.CUstreamMemOpWriteValueParams_st;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.operation.Place;
import dev.reprise.softgpu.driver.operation.ValueWait;
import dev.reprise.softgpu.driver.operation.ValueWrite;
import dev.reprise.softgpu.driver.operation.WordBarrier;
import dev.reprise.softgpu.driver.operation.WordBatch;
import dev.reprise.softgpu.driver.operation.WordOperation;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Memory operations as callers pass and receive them, checked. */
final class WordOperations {

  private static final int NO_MEMORY_BARRIER = 1;
  private static final int FLUSH = 1 << 30;
  private static final int FLUSH_REMOTE_WRITES = 3;
  private static final int MOST = 255;

  private WordOperations() {}

  static ValueWrite write(Context context, long address, long value, int bytes, int flags) {
    if (flags != 0 && flags != NO_MEMORY_BARRIER) {
      throw CudaFailure.invalidValue("write flags " + flags);
    }
    check(context, address, bytes);
    return new ValueWrite(context.device().memory(), address, value, bytes, flags);
  }

  static ValueWait await(Context context, long address, long value, int bytes, int flags) {
    if ((flags & FLUSH) != 0) {
      throw CudaFailure.notSupported("flushing remote writes");
    }
    if (flags < 0 || flags > ValueWait.NOR) {
      throw CudaFailure.invalidValue("wait flags " + flags);
    }
    check(context, address, bytes);
    return new ValueWait(context.device().memory(), context, address, value, flags, bytes);
  }

  private static void check(Context context, long address, int bytes) {
    if (address % bytes != 0) {
      throw CudaFailure.invalidValue("0x%x is not aligned to %d bytes".formatted(address, bytes));
    }
    Place.line(Place.Kind.DEVICE, address).check(context.device().memory(), bytes, "addr");
  }

  /** The operations of a node. */
  static WordBatch ofNode(Functions functions, MemorySegment params) {
    MemorySegment p =
        CallerMemory.struct(params, CUDA_BATCH_MEM_OP_NODE_PARAMS.sizeof(), "nodeParams");
    Context context = NodeParameters.context(functions, CUDA_BATCH_MEM_OP_NODE_PARAMS.ctx(p));
    return batch(
        context,
        CUDA_BATCH_MEM_OP_NODE_PARAMS.count(p),
        CUDA_BATCH_MEM_OP_NODE_PARAMS.paramArray(p),
        CUDA_BATCH_MEM_OP_NODE_PARAMS.flags(p));
  }

  /** Reads an array of operations. */
  static WordBatch batch(Context context, int count, MemorySegment array, int flags) {
    if (count < 1 || count > MOST) {
      throw CudaFailure.invalidValue(
          "a batch of %s operations; it has 1 to %d"
              .formatted(Integer.toUnsignedString(count), MOST));
    }
    if (flags != 0) {
      throw CudaFailure.invalidValue("batch flags " + flags + "; they must be 0");
    }
    MemorySegment all =
        CallerMemory.struct(array, CUstreamBatchMemOpParams.sizeof() * count, "paramArray");
    List<WordOperation> operations = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      operations.add(operation(context, CUstreamBatchMemOpParams.asSlice(all, i)));
    }
    return new WordBatch(List.copyOf(operations));
  }

  private static WordOperation operation(Context context, MemorySegment p) {
    int code = CUstreamBatchMemOpParams.operation(p);
    MemorySegment wait = CUstreamBatchMemOpParams.waitValue(p);
    MemorySegment write = CUstreamBatchMemOpParams.writeValue(p);
    return switch (code) {
      case ValueWait.CODE_32 ->
          await(
              context,
              CUstreamMemOpWaitValueParams_st.address(wait),
              CUstreamMemOpWaitValueParams_st.value(wait),
              Integer.BYTES,
              CUstreamMemOpWaitValueParams_st.flags(wait));
      case ValueWait.CODE_64 ->
          await(
              context,
              CUstreamMemOpWaitValueParams_st.address(wait),
              CUstreamMemOpWaitValueParams_st.value64(wait),
              Long.BYTES,
              CUstreamMemOpWaitValueParams_st.flags(wait));
      case ValueWrite.CODE_32 ->
          write(
              context,
              CUstreamMemOpWriteValueParams_st.address(write),
              CUstreamMemOpWriteValueParams_st.value(write),
              Integer.BYTES,
              CUstreamMemOpWriteValueParams_st.flags(write));
      case ValueWrite.CODE_64 ->
          write(
              context,
              CUstreamMemOpWriteValueParams_st.address(write),
              CUstreamMemOpWriteValueParams_st.value64(write),
              Long.BYTES,
              CUstreamMemOpWriteValueParams_st.flags(write));
      case WordBarrier.CODE -> barrier(CUstreamBatchMemOpParams.memoryBarrier(p));
      case FLUSH_REMOTE_WRITES -> throw CudaFailure.notSupported("flushing remote writes");
      default -> throw CudaFailure.invalidValue("there is no memory operation " + code);
    };
  }

  private static WordBarrier barrier(MemorySegment barrier) {
    int flags = CUstreamMemOpMemoryBarrierParams_st.flags(barrier);
    if (flags != 0 && flags != 1) {
      throw CudaFailure.invalidValue("barrier flags " + flags + "; they are 0 (system) or 1 (GPU)");
    }
    return new WordBarrier(flags);
  }

  /** An array that describes a batch, which lives as long as its segment. */
  static MemorySegment array(WordBatch batch) {
    int count = batch.operations().size();
    MemorySegment array = CUstreamBatchMemOpParams.allocateArray(count, Arena.ofAuto());
    array.fill((byte) 0);
    for (int i = 0; i < count; i++) {
      write(batch.operations().get(i), CUstreamBatchMemOpParams.asSlice(array, i));
    }
    return array;
  }

  private static void write(WordOperation operation, MemorySegment p) {
    CUstreamBatchMemOpParams.operation(p, operation.code());
    switch (operation) {
      case ValueWait wait -> {
        MemorySegment out = CUstreamBatchMemOpParams.waitValue(p);
        CUstreamMemOpWaitValueParams_st.address(out, wait.address());
        CUstreamMemOpWaitValueParams_st.value64(out, wait.value());
        CUstreamMemOpWaitValueParams_st.flags(out, wait.condition());
      }
      case ValueWrite write -> {
        MemorySegment out = CUstreamBatchMemOpParams.writeValue(p);
        CUstreamMemOpWriteValueParams_st.address(out, write.address());
        CUstreamMemOpWriteValueParams_st.value64(out, write.value());
        CUstreamMemOpWriteValueParams_st.flags(out, write.flags());
      }
      case WordBarrier barrier ->
          CUstreamMemOpMemoryBarrierParams_st.flags(
              CUstreamBatchMemOpParams.memoryBarrier(p), barrier.flags());
    }
  }
}
