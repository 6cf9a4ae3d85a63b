package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.CUDA_CONDITIONAL_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_KERNEL_NODE_PARAMS_v2;
import dev.reprise.bindings.cuda.CUgraphNodeParams;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** What tests of conditional nodes do all the time, with the kernels of {@code conditional.cu}. */
abstract class ConditionalGraphs extends DriverTest {

  static final MemorySegment NONE = MemorySegment.NULL;
  static final int ASSIGN_DEFAULT = 1;
  static final int IF = 0;
  static final int WHILE = 1;
  static final int SWITCH = 2;
  static final int CONDITIONAL = 13;

  private MemorySegment module = NONE;

  @BeforeEach
  final void loadKernels() {
    MemorySegment image = arena().allocateFrom(text("conditional.ptx"));
    module = out(slot -> cuda_h.cuModuleLoadData(slot, image));
  }

  final MemorySegment graph() {
    return out(slot -> cuda_h.cuGraphCreate(slot, 0));
  }

  final MemorySegment kernel(String name) {
    return kernel(module, name);
  }

  /** A handle without a default value. */
  final long handle(MemorySegment graph) {
    return outLong(slot -> cuda_h.cuGraphConditionalHandleCreate(slot, graph, context(), 0, 0));
  }

  final long handle(MemorySegment graph, int defaultValue) {
    return outLong(slot ->
        cuda_h.cuGraphConditionalHandleCreate(
            slot, graph, context(), defaultValue, ASSIGN_DEFAULT));
  }

  final MemorySegment conditionalParams(long handle, int type, int size) {
    MemorySegment params = CUgraphNodeParams.allocate(arena());
    CUgraphNodeParams.type(params, CONDITIONAL);
    MemorySegment conditional = CUgraphNodeParams.conditional(params);
    CUDA_CONDITIONAL_NODE_PARAMS.handle(conditional, handle);
    CUDA_CONDITIONAL_NODE_PARAMS.type(conditional, type);
    CUDA_CONDITIONAL_NODE_PARAMS.size(conditional, size);
    CUDA_CONDITIONAL_NODE_PARAMS.ctx(conditional, context());
    return params;
  }

  /** A conditional node and its bodies. */
  record Added(MemorySegment node, List<MemorySegment> bodies) {
    MemorySegment body() {
      return bodies.get(0);
    }
  }

  final Added conditional(
      MemorySegment graph, long handle, int type, int size, MemorySegment... after) {
    MemorySegment params = conditionalParams(handle, type, size);
    MemorySegment node =
        out(slot ->
            cuda_h.cuGraphAddNode_v2(slot, graph, array(after), NONE, after.length, params));
    MemorySegment given =
        CUDA_CONDITIONAL_NODE_PARAMS
            .phGraph_out(CUgraphNodeParams.conditional(params))
            .reinterpret(ADDRESS.byteSize() * size);
    List<MemorySegment> bodies = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      bodies.add(given.getAtIndex(ADDRESS, i));
    }
    return new Added(node, bodies);
  }

  final MemorySegment array(MemorySegment... handles) {
    MemorySegment array = arena().allocate(ADDRESS, Math.max(1, handles.length));
    for (int i = 0; i < handles.length; i++) {
      array.setAtIndex(ADDRESS, i, handles[i]);
    }
    return array;
  }

  final MemorySegment kernelParams(String name, int threads, Object... values) {
    MemorySegment params = CUDA_KERNEL_NODE_PARAMS_v2.allocate(arena());
    CUDA_KERNEL_NODE_PARAMS_v2.func(params, kernel(name));
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimX(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimY(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimZ(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimX(params, threads);
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimY(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimZ(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.kernelParams(params, parameters(values));
    return params;
  }

  final MemorySegment kernelNode(
      MemorySegment graph, MemorySegment after, String name, Object... values) {
    return kernelNode(graph, after, 1, name, values);
  }

  final MemorySegment kernelNode(
      MemorySegment graph, MemorySegment after, int threads, String name, Object... values) {
    int count = after.equals(NONE) ? 0 : 1;
    MemorySegment params = kernelParams(name, threads, values);
    return out(slot -> cuda_h.cuGraphAddKernelNode_v2(slot, graph, array(after), count, params));
  }

  final void launch(MemorySegment exec) {
    MemorySegment stream = stream();
    ok(cuda_h.cuGraphLaunch(exec, stream));
    synchronize(stream);
  }

  /** Device memory in use. */
  final long used() {
    MemorySegment free = arena().allocate(JAVA_LONG);
    MemorySegment total = arena().allocate(JAVA_LONG);
    ok(cuda_h.cuMemGetInfo_v2(free, total));
    return total.get(JAVA_LONG, 0) - free.get(JAVA_LONG, 0);
  }
}
