package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st;
import dev.reprise.bindings.cuda.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_EXT_SEM_WAIT_NODE_PARAMS;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.ExternalSemaphore;
import dev.reprise.softgpu.driver.operation.NodeType;
import dev.reprise.softgpu.driver.operation.SemaphoreOperation;
import dev.reprise.softgpu.driver.operation.SemaphoreOperation.Use;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Operations on external semaphores as callers pass and receive them. */
final class SemaphoreParameters {

  private static final int MOST = 1 << 16;

  private SemaphoreParameters() {}

  /** Signals or waits from an array of semaphores and one of parameters. */
  static SemaphoreOperation read(
      Functions functions,
      Context context,
      NodeType type,
      MemorySegment semaphores,
      MemorySegment params,
      int count) {
    if (count <= 0 || count > MOST) {
      throw CudaFailure.invalidValue(Integer.toUnsignedString(count) + " semaphores");
    }
    boolean signal = type == NodeType.EXT_SEMAS_SIGNAL;
    long size =
        signal
            ? CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS.sizeof()
            : CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS.sizeof();
    long array = CallerMemory.required(semaphores, "extSemArray");
    MemorySegment all = CallerMemory.struct(params, size * count, "paramsArray");
    List<Use> uses = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long handle = CallerMemory.readLong(array + (long) i * Long.BYTES);
      ExternalSemaphore known =
          functions.handles().require(handle, ExternalSemaphore.class, "extSemArray[" + i + "]");
      MemorySegment one = all.asSlice(i * size, size);
      int flags =
          signal
              ? CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS.flags(one)
              : CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS.flags(one);
      if (flags != 0) {
        throw CudaFailure.invalidValue("flags " + flags + " are for NvSciSync objects only");
      }
      uses.add(new Use(handle, known.semaphore(), value(one, signal)));
    }
    return new SemaphoreOperation(type, context, List.copyOf(uses));
  }

  private static long value(MemorySegment one, boolean signal) {
    return signal
        ? CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st.params.fence.value(
            CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st.params.fence(
                CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS.params(one)))
        : CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st.params.fence.value(
            CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st.params.fence(
                CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS.params(one)));
  }

  /** The operation of a node. */
  static SemaphoreOperation ofNode(
      Functions functions, Context context, NodeType type, MemorySegment params) {
    // Both structs have the same members.
    MemorySegment p =
        CallerMemory.struct(params, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.sizeof(), "nodeParams");
    return read(
        functions,
        context,
        type,
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.extSemArray(p),
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.paramsArray(p),
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.numExtSems(p));
  }

  /** The arrays of an operation, the semaphores first. */
  static MemorySegment arrays(SemaphoreOperation operation) {
    boolean signal = operation.type() == NodeType.EXT_SEMAS_SIGNAL;
    long size =
        signal
            ? CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS.sizeof()
            : CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS.sizeof();
    int count = operation.uses().size();
    MemorySegment all = Arena.ofAuto().allocate(count * (Long.BYTES + size), Long.BYTES);
    for (int i = 0; i < count; i++) {
      Use use = operation.uses().get(i);
      all.setAtIndex(ValueLayout.JAVA_LONG, i, use.handle());
      MemorySegment one = all.asSlice(count * (long) Long.BYTES + i * size, size);
      // The number is the first member of either struct.
      one.set(ValueLayout.JAVA_LONG, 0, use.value());
    }
    return all;
  }

  /** Writes the parameters of a node, whose arrays the caller keeps alive. */
  static void write(SemaphoreOperation operation, MemorySegment arrays, MemorySegment params) {
    MemorySegment p =
        CallerMemory.struct(params, CUDA_EXT_SEM_WAIT_NODE_PARAMS.sizeof(), "params_out");
    p.fill((byte) 0);
    CUDA_EXT_SEM_WAIT_NODE_PARAMS.extSemArray(p, arrays);
    CUDA_EXT_SEM_WAIT_NODE_PARAMS.paramsArray(
        p, arrays.asSlice(operation.uses().size() * (long) Long.BYTES));
    CUDA_EXT_SEM_WAIT_NODE_PARAMS.numExtSems(p, operation.uses().size());
  }
}
