package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_KERNEL_NODE_PARAMS_v2;
import dev.reprise.bindings.cuda.CUDA_MEMCPY3D;
import dev.reprise.bindings.cuda.CUDA_MEMSET_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUgraphExecUpdateResultInfo;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** What may change in an executable graph, node by node, and how an update that fails says so. */
class GraphUpdateRulesTest extends DriverTest {

  private static final MemorySegment NONE = MemorySegment.NULL;
  private static final int TOPOLOGY_CHANGED = 2;
  private static final int PARAMETERS_CHANGED = 5;
  private static final int UNSUPPORTED_FUNCTION_CHANGE = 7;

  private MemorySegment graph() {
    return out(slot -> cuda_h.cuGraphCreate(slot, 0));
  }

  private MemorySegment kernelParams(MemorySegment function, int grid, Object... values) {
    MemorySegment params = CUDA_KERNEL_NODE_PARAMS_v2.allocate(arena());
    CUDA_KERNEL_NODE_PARAMS_v2.func(params, function);
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimX(params, grid);
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimY(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimZ(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimX(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimY(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimZ(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.kernelParams(params, parameters(values));
    return params;
  }

  private MemorySegment kernelNode(MemorySegment graph, MemorySegment params) {
    return out(slot -> cuda_h.cuGraphAddKernelNode_v2(slot, graph, NONE, 0, params));
  }

  private MemorySegment fillParams(long dst, int value, long width, long height, long pitch) {
    MemorySegment params = CUDA_MEMSET_NODE_PARAMS.allocate(arena());
    CUDA_MEMSET_NODE_PARAMS.dst(params, dst);
    CUDA_MEMSET_NODE_PARAMS.value(params, value);
    CUDA_MEMSET_NODE_PARAMS.elementSize(params, 4);
    CUDA_MEMSET_NODE_PARAMS.width(params, width);
    CUDA_MEMSET_NODE_PARAMS.height(params, height);
    CUDA_MEMSET_NODE_PARAMS.pitch(params, pitch);
    return params;
  }

  private MemorySegment fillNode(
      MemorySegment graph, MemorySegment params, MemorySegment... after) {
    MemorySegment array = arena().allocate(ADDRESS, Math.max(1, after.length));
    for (int i = 0; i < after.length; i++) {
      array.setAtIndex(ADDRESS, i, after[i]);
    }
    return out(
        slot -> cuda_h.cuGraphAddMemsetNode(slot, graph, array, after.length, params, context()));
  }

  private record Update(int result, MemorySegment node, MemorySegment from) {}

  private Update fail(MemorySegment exec, MemorySegment graph) {
    MemorySegment info = CUgraphExecUpdateResultInfo.allocate(arena());
    expect(Result.GRAPH_EXEC_UPDATE_FAILURE, cuda_h.cuGraphExecUpdate_v2(exec, graph, info));
    return new Update(
        CUgraphExecUpdateResultInfo.result(info),
        CUgraphExecUpdateResultInfo.errorNode(info),
        CUgraphExecUpdateResultInfo.errorFromNode(info));
  }

  private void update(MemorySegment exec, MemorySegment graph) {
    ok(cuda_h.cuGraphExecUpdate_v2(exec, graph, CUgraphExecUpdateResultInfo.allocate(arena())));
  }

  private void launch(MemorySegment exec) {
    MemorySegment stream = stream();
    ok(cuda_h.cuGraphLaunch(exec, stream));
    synchronize(stream);
  }

  @Test
  void aKernelNodeMayBecomeAnotherFunctionOfItsContext() {
    MemorySegment module = probe();
    MemorySegment other = probe();
    long buffer = ints(10, 20);
    MemorySegment graph = graph();
    MemorySegment node = kernelNode(graph, kernelParams(kernel(module, "fill"), 1, buffer, 1, 1));
    MemorySegment exec = instantiate(graph);
    MemorySegment add = kernelParams(kernel(other, "add"), 2, buffer, buffer, 5, 2);
    ok(cuda_h.cuGraphExecKernelNodeSetParams_v2(exec, node, add));
    launch(exec);
    assertThat(read(buffer, 2)).containsExactly(15, 25);
  }

  @Test
  void aKernelNodeKeepsItsContext() {
    long buffer = ints(0);
    MemorySegment graph = graph();
    MemorySegment node = kernelNode(graph, kernelParams(kernel(probe(), "fill"), 1, buffer, 1, 1));
    MemorySegment exec = instantiate(graph);
    MemorySegment own = out(slot -> cuda_h.cuCtxCreate_v4(slot, NONE, 0, 0));
    MemorySegment foreign = kernelParams(kernel(probe(), "fill"), 1, buffer, 2, 1);
    MemorySegment updated = graph();
    MemorySegment wrong = kernelNode(updated, foreign);
    ok(cuda_h.cuCtxSetCurrent(context()));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphExecKernelNodeSetParams_v2(exec, node, foreign));
    Update failed = fail(exec, updated);
    assertThat(failed.result()).isEqualTo(UNSUPPORTED_FUNCTION_CHANGE);
    assertThat(failed.node()).isEqualTo(wrong);
    launch(exec);
    assertThat(read(buffer, 1)).containsExactly(1);
    ok(cuda_h.cuCtxDestroy_v2(own));
  }

  @Test
  void aFillKeepsItsHeightAndWithSeveralRowsItsWidth() {
    long buffer = ints(0, 0, 0, 0);
    MemorySegment graph = graph();
    MemorySegment row = fillNode(graph, fillParams(buffer, 1, 1, 1, 0));
    MemorySegment rows = fillNode(graph, fillParams(buffer, 1, 1, 2, 8));
    MemorySegment exec = instantiate(graph);
    ok(
        cuda_h.cuGraphExecMemsetNodeSetParams(
            exec, row, fillParams(buffer + 4, 7, 3, 1, 0), context()));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuGraphExecMemsetNodeSetParams(
            exec, row, fillParams(buffer, 1, 1, 2, 8), context()));
    for (MemorySegment wrong :
        new MemorySegment[] {fillParams(buffer, 1, 2, 2, 8), fillParams(buffer, 1, 1, 1, 8)}) {
      expect(
          Result.INVALID_VALUE,
          cuda_h.cuGraphExecMemsetNodeSetParams(exec, rows, wrong, context()));
    }
    ok(
        cuda_h.cuGraphExecMemsetNodeSetParams(
            exec, rows, fillParams(buffer, 9, 1, 2, 8), context()));
    launch(exec);
    assertThat(read(buffer, 4)).containsExactly(9, 7, 9, 7);
    MemorySegment wider = graph();
    fillNode(wider, fillParams(buffer, 1, 1, 1, 0));
    MemorySegment second = fillNode(wider, fillParams(buffer, 1, 2, 2, 8));
    Update failed = fail(exec, wider);
    assertThat(failed.result()).isEqualTo(PARAMETERS_CHANGED);
    assertThat(failed.node()).isEqualTo(second);
  }

  private MemorySegment copyParams(long dst, long src, long width, long height) {
    MemorySegment params = CUDA_MEMCPY3D.allocate(arena());
    CUDA_MEMCPY3D.srcMemoryType(params, cuda_h.CU_MEMORYTYPE_DEVICE());
    CUDA_MEMCPY3D.srcDevice(params, src);
    CUDA_MEMCPY3D.srcPitch(params, 8);
    CUDA_MEMCPY3D.dstMemoryType(params, cuda_h.CU_MEMORYTYPE_DEVICE());
    CUDA_MEMCPY3D.dstDevice(params, dst);
    CUDA_MEMCPY3D.dstPitch(params, 8);
    CUDA_MEMCPY3D.WidthInBytes(params, width);
    CUDA_MEMCPY3D.Height(params, height);
    CUDA_MEMCPY3D.Depth(params, 1);
    return params;
  }

  @Test
  void aCopyOfRowsAndAnEmptyOneCannotBeSet() {
    long from = ints(1, 2, 3, 4);
    long to = ints(0, 0, 0, 0);
    MemorySegment graph = graph();
    MemorySegment rows = copyParams(to, from, 4, 2);
    MemorySegment node =
        out(slot -> cuda_h.cuGraphAddMemcpyNode(slot, graph, NONE, 0, rows, context()));
    MemorySegment line = copyParams(to, from, 8, 1);
    MemorySegment lineNode =
        out(slot -> cuda_h.cuGraphAddMemcpyNode(slot, graph, NONE, 0, line, context()));
    MemorySegment exec = instantiate(graph);
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuGraphExecMemcpyNodeSetParams(
            exec, node, copyParams(to + 4, from, 4, 2), context()));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuGraphExecMemcpyNodeSetParams(exec, lineNode, rows, context()));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuGraphExecMemcpyNodeSetParams(
            exec, lineNode, copyParams(to, from, 0, 1), context()));
    ok(
        cuda_h.cuGraphExecMemcpyNodeSetParams(
            exec, lineNode, copyParams(to + 8, from, 4, 1), context()));
    launch(exec);
    assertThat(read(to, 4)).containsExactly(1, 0, 1, 0);
  }

  @Test
  void nodesArePairedByTheOrderOfTheirMaking() {
    long buffer = ints(0, 0);
    MemorySegment graph = graph();
    MemorySegment root = fillNode(graph, fillParams(buffer, 1, 1, 1, 0));
    fillNode(graph, fillParams(buffer + 4, 2, 1, 1, 0), root);
    MemorySegment exec = instantiate(graph);
    MemorySegment reversed = graph();
    MemorySegment last = fillNode(reversed, fillParams(buffer + 4, 2, 1, 1, 0));
    MemorySegment first = fillNode(reversed, fillParams(buffer, 1, 1, 1, 0));
    ok(
        cuda_h.cuGraphAddDependencies(
            reversed,
            arena().allocateFrom(ADDRESS, first),
            arena().allocateFrom(ADDRESS, last),
            1));
    Update failed = fail(exec, reversed);
    assertThat(failed.result()).isEqualTo(TOPOLOGY_CHANGED);
    assertThat(failed.node()).isEqualTo(last);
  }

  @Test
  void anEdgeFromAnotherNodeIsNamed() {
    long buffer = ints(0, 0, 0);
    MemorySegment graph = graph();
    MemorySegment a = fillNode(graph, fillParams(buffer, 1, 1, 1, 0));
    fillNode(graph, fillParams(buffer + 4, 1, 1, 1, 0));
    fillNode(graph, fillParams(buffer + 8, 1, 1, 1, 0), a);
    MemorySegment exec = instantiate(graph);
    MemorySegment updated = graph();
    fillNode(updated, fillParams(buffer, 1, 1, 1, 0));
    MemorySegment b = fillNode(updated, fillParams(buffer + 4, 1, 1, 1, 0));
    MemorySegment c = fillNode(updated, fillParams(buffer + 8, 1, 1, 1, 0), b);
    Update failed = fail(exec, updated);
    assertThat(failed).isEqualTo(new Update(TOPOLOGY_CHANGED, c, b));
    fillNode(updated, fillParams(buffer, 1, 1, 1, 0));
    assertThat(fail(exec, updated)).as("one node more").isEqualTo(new Update(2, NONE, NONE));
  }

  @Test
  void aNodeThatIsSwitchedOffStaysSoThroughAnUpdate() {
    long buffer = ints(0, 0);
    MemorySegment graph = graph();
    MemorySegment off = fillNode(graph, fillParams(buffer, 1, 1, 1, 0));
    fillNode(graph, fillParams(buffer + 4, 1, 1, 1, 0));
    MemorySegment exec = instantiate(graph);
    ok(cuda_h.cuGraphNodeSetEnabled(exec, off, 0));
    MemorySegment updated = graph();
    fillNode(updated, fillParams(buffer, 2, 1, 1, 0));
    fillNode(updated, fillParams(buffer + 4, 2, 1, 1, 0));
    update(exec, updated);
    launch(exec);
    assertThat(read(buffer, 2)).containsExactly(0, 2);
    ok(cuda_h.cuGraphNodeSetEnabled(exec, off, 1));
    launch(exec);
    assertThat(read(buffer, 2)).containsExactly(2, 2);
  }

  @Test
  void aChildGraphIsUpdatedInside() {
    long buffer = ints(0);
    MemorySegment exec = instantiate(parentOf(fillParams(buffer, 1, 1, 1, 0)));
    update(exec, parentOf(fillParams(buffer, 6, 1, 1, 0)));
    launch(exec);
    assertThat(read(buffer, 1)).containsExactly(6);
    assertThat(fail(exec, parentOf(fillParams(buffer, 6, 1, 1, 0), fillParams(buffer, 1, 1, 1, 0))))
        .isEqualTo(new Update(TOPOLOGY_CHANGED, NONE, NONE));
  }

  private MemorySegment parentOf(MemorySegment... fills) {
    MemorySegment child = graph();
    for (MemorySegment fill : fills) {
      fillNode(child, fill);
    }
    MemorySegment parent = graph();
    out(slot -> cuda_h.cuGraphAddChildGraphNode(slot, parent, NONE, 0, child));
    return parent;
  }

  @Test
  void aCapturedPointerIsUsedEvenAfterItsMemoryIsGone() {
    MemorySegment module = probe();
    MemorySegment stream = stream();
    long buffer = device(4);
    begin(stream, RELAXED);
    launch(kernel(module, "fill"), 1, 1, stream, buffer, 1, 1);
    MemorySegment exec = instantiate(end(stream));
    ok(cuda_h.cuMemFree_v2(buffer));
    ok(cuda_h.cuGraphLaunch(exec, stream));
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamSynchronize(stream));
  }
}
