package dev.reprise.softgpu.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_CHILD_GRAPH_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_MEM_ALLOC_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_MEM_FREE_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUgraphExecUpdateResultInfo;
import dev.reprise.bindings.cuda.CUgraphNodeParams;
import dev.reprise.bindings.cuda.CUmemAccessDesc;
import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.CUmemPoolProps;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** What may be made of memory nodes, and of graphs that have them. */
class MemoryNodeRulesTest extends MemoryNodeTest {

  private static final int MEM_ALLOC = 10;
  private static final int MEM_FREE = 11;

  private final MemorySegment slot = arena().allocate(8);

  @Test
  void nodesTellTheirParameters() {
    MemorySegment graph = graph();
    MemorySegment params = allocation(1000);
    MemorySegment access = CUmemAccessDesc.allocate(arena());
    CUmemLocation.type(CUmemAccessDesc.location(access), 1);
    CUmemLocation.id(CUmemAccessDesc.location(access), 0);
    CUmemAccessDesc.flags(access, 3);
    CUDA_MEM_ALLOC_NODE_PARAMS.accessDescs(params, access);
    CUDA_MEM_ALLOC_NODE_PARAMS.accessDescCount(params, 1);
    MemorySegment node = out(n -> cuda_h.cuGraphAddMemAllocNode(n, graph, NONE, 0, params));
    long address = CUDA_MEM_ALLOC_NODE_PARAMS.dptr(params);
    assertThat(address).isPositive();
    MemorySegment back = CUDA_MEM_ALLOC_NODE_PARAMS.allocate(arena());
    ok(cuda_h.cuGraphMemAllocNodeGetParams(node, back));
    assertThat(CUDA_MEM_ALLOC_NODE_PARAMS.dptr(back)).isEqualTo(address);
    assertThat(CUDA_MEM_ALLOC_NODE_PARAMS.bytesize(back)).isEqualTo(1000);
    assertThat(
            CUDA_MEM_ALLOC_NODE_PARAMS
                .poolProps(back)
                .mismatch(CUDA_MEM_ALLOC_NODE_PARAMS.poolProps(params)))
        .isEqualTo(-1);
    assertThat(CUDA_MEM_ALLOC_NODE_PARAMS.accessDescCount(back)).isEqualTo(1);
    MemorySegment descriptors =
        CUDA_MEM_ALLOC_NODE_PARAMS.accessDescs(back).reinterpret(CUmemAccessDesc.sizeof());
    assertThat(descriptors.mismatch(access)).isEqualTo(-1);

    MemorySegment free = free(graph, address, node);
    assertThat(outLong(n -> cuda_h.cuGraphMemFreeNodeGetParams(free, n))).isEqualTo(address);
    assertThat(nodeType(node)).isEqualTo(MEM_ALLOC);
    assertThat(nodeType(free)).isEqualTo(MEM_FREE);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphMemAllocNodeGetParams(free, back));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphMemFreeNodeGetParams(node, slot));
  }

  @Test
  void theGenericFunctionMakesThemToo() {
    MemorySegment graph = graph();
    MemorySegment params = CUgraphNodeParams.allocate(arena()).fill((byte) 0);
    CUgraphNodeParams.type(params, MEM_ALLOC);
    MemorySegment.copy(
        allocation(64), 0, CUgraphNodeParams.alloc(params), 0, CUDA_MEM_ALLOC_NODE_PARAMS.sizeof());
    MemorySegment node = out(n -> cuda_h.cuGraphAddNode(n, graph, NONE, 0, params));
    long address = CUDA_MEM_ALLOC_NODE_PARAMS.dptr(CUgraphNodeParams.alloc(params));
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphNodeSetParams(node, params));

    MemorySegment end = CUgraphNodeParams.allocate(arena()).fill((byte) 0);
    CUgraphNodeParams.type(end, MEM_FREE);
    CUDA_MEM_FREE_NODE_PARAMS.dptr(CUgraphNodeParams.free(end), address);
    out(n -> cuda_h.cuGraphAddNode(n, graph, array(node), 1, end));
    MemorySegment exec = instantiate(graph);
    launch(exec, stream());
    ok(cuda_h.cuCtxSynchronize());
  }

  @Test
  void impossibleAllocationsAreRefused() {
    MemorySegment graph = graph();
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddMemAllocNode(slot, graph, NONE, 0, NONE));
    expect(
        Result.INVALID_VALUE, cuda_h.cuGraphAddMemAllocNode(slot, graph, NONE, 0, allocation(0)));
    MemorySegment shared = allocation(64);
    CUmemPoolProps.handleTypes(CUDA_MEM_ALLOC_NODE_PARAMS.poolProps(shared), 1);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddMemAllocNode(slot, graph, NONE, 0, shared));
    MemorySegment elsewhere = allocation(64);
    CUmemLocation.id(CUmemPoolProps.location(CUDA_MEM_ALLOC_NODE_PARAMS.poolProps(elsewhere)), 3);
    expect(Result.INVALID_DEVICE, cuda_h.cuGraphAddMemAllocNode(slot, graph, NONE, 0, elsewhere));
    MemorySegment noType = allocation(64);
    CUmemPoolProps.allocType(CUDA_MEM_ALLOC_NODE_PARAMS.poolProps(noType), 0);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddMemAllocNode(slot, graph, NONE, 0, noType));
    MemorySegment noAccess = allocation(64);
    CUDA_MEM_ALLOC_NODE_PARAMS.accessDescCount(noAccess, 1);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddMemAllocNode(slot, graph, NONE, 0, noAccess));
    assertThat(nodes(graph)).isEmpty();
  }

  @Test
  void onlyWhatAGraphAllocatesCanBeFreedByANodeAndOnce() {
    MemorySegment graph = graph();
    Allocated allocated = allocate(graph, 64);
    long other = device(64);
    MemorySegment stream = stream();
    long pooled = allocateAsync(64, stream);
    for (long address : new long[] {0, other, pooled, allocated.address() + 4}) {
      expect(Result.INVALID_VALUE, cuda_h.cuGraphAddMemFreeNode(slot, graph, NONE, 0, address));
    }
    ok(cuda_h.cuMemFreeAsync(pooled, stream));
    free(graph, allocated.address(), allocated.node());
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuGraphAddMemFreeNode(slot, graph, array(allocated.node()), 1, allocated.address()));
    assertThat(nodes(graph)).hasSize(2);
  }

  @Test
  void aFreeMustComeAfterItsAllocation() {
    MemorySegment graph = graph();
    Allocated allocated = allocate(graph, 64);
    MemorySegment free = free(graph, allocated.address());
    expect(Result.INVALID_VALUE, cuda_h.cuGraphInstantiateWithFlags(slot, graph, 0));
    MemorySegment between =
        out(n -> cuda_h.cuGraphAddEmptyNode(n, graph, array(allocated.node()), 1));
    ok(cuda_h.cuGraphAddDependencies(graph, array(between), array(free), 1));
    instantiate(graph);
  }

  @Test
  void aGraphWithMemoryNodesKeepsWhatItHas() {
    MemorySegment graph = graph();
    Allocated allocated = allocate(graph, 64);
    MemorySegment fill = fillNode(graph, allocated.address(), 1, 16, allocated.node());
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphDestroyNode(fill));
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphDestroyNode(allocated.node()));
    expect(
        Result.NOT_SUPPORTED,
        cuda_h.cuGraphRemoveDependencies(graph, array(allocated.node()), array(fill), 1));
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphClone(slot, graph));
    assertThat(nodes(graph)).hasSize(2);
    assertThat(dependencies(fill)).containsExactly(allocated.node());
  }

  @Test
  void itCannotBecomeAChildGraph() {
    MemorySegment graph = graph();
    allocate(graph, 64);
    MemorySegment parent = graph();
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphAddChildGraphNode(slot, parent, NONE, 0, graph));
    MemorySegment params = CUgraphNodeParams.allocate(arena()).fill((byte) 0);
    CUgraphNodeParams.type(params, 4);
    MemorySegment child = CUgraphNodeParams.graph(params);
    CUDA_CHILD_GRAPH_NODE_PARAMS.graph(child, graph);
    for (int ownership : new int[] {0, 1}) {
      CUDA_CHILD_GRAPH_NODE_PARAMS.ownership(child, ownership);
      expect(Result.NOT_SUPPORTED, cuda_h.cuGraphAddNode(slot, parent, NONE, 0, params));
    }
    MemorySegment exec = instantiate(graph);
    MemorySegment stream = stream();
    begin(stream, RELAXED);
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphLaunch(exec, stream));
    assertThat(nodes(end(stream))).isEmpty();
    assertThat(nodes(parent)).isEmpty();
  }

  @Test
  void itIsInstantiatedOnceAtATime() {
    MemorySegment graph = graph();
    Allocated allocated = allocate(graph, 64);
    free(graph, allocated.address(), allocated.node());
    MemorySegment first = instantiate(graph);
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphInstantiateWithFlags(slot, graph, 0));
    ok(cuda_h.cuGraphExecDestroy(first));
    MemorySegment second = instantiate(graph);
    launch(second, stream());
    ok(cuda_h.cuCtxSynchronize());
  }

  @Test
  void anUpdateTakesMemoryNodesThatNoOtherExecHas() {
    MemorySegment stream = stream();
    MemorySegment first = graph();
    Allocated a = allocate(first, 64);
    fillNode(first, a.address(), 1, 16, a.node());
    MemorySegment second = graph();
    Allocated b = allocate(second, 64);
    fillNode(second, b.address(), 2, 16, b.node());
    MemorySegment exec = instantiate(first);
    MemorySegment other = instantiate(second);
    MemorySegment info = CUgraphExecUpdateResultInfo.allocate(arena());
    expect(Result.GRAPH_EXEC_UPDATE_FAILURE, cuda_h.cuGraphExecUpdate_v2(exec, second, info));
    assertThat(CUgraphExecUpdateResultInfo.result(info)).as("not supported").isEqualTo(6);
    ok(cuda_h.cuGraphExecUpdate_v2(exec, first, info));
    ok(cuda_h.cuGraphExecDestroy(other));
    ok(cuda_h.cuGraphExecUpdate_v2(exec, second, info));
    launch(exec, stream);
    synchronize(stream);
    assertThat(read(b.address(), 1)).containsExactly(2);
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphInstantiateWithFlags(slot, second, 0));
    launch(instantiate(first), stream);
    synchronize(stream);
    assertThat(read(a.address(), 1)).containsExactly(1);
  }

  @Test
  void aCaptureMakesThem() {
    MemorySegment stream = stream();
    long result = ints(0, 0);
    begin(stream, RELAXED);
    long scratch = allocateAsync(8, stream);
    fill(scratch, 7, 2, stream);
    ok(cuda_h.cuMemcpyDtoDAsync_v2(result, scratch, 8, stream));
    ok(cuda_h.cuMemFreeAsync(scratch, stream));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFreeAsync(scratch, stream));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFreeAsync(result, stream));
    expect(Result.INVALID_VALUE, cuda_h.cuMemAllocAsync(slot, 0, stream));
    MemorySegment graph = end(stream);
    assertThat(nodes(graph)).extracting(this::nodeType).containsExactly(MEM_ALLOC, 2, 1, MEM_FREE);
    MemorySegment exec = instantiate(graph);
    launch(exec, stream);
    launch(exec, stream);
    synchronize(stream);
    assertThat(read(result, 2)).containsExactly(7, 7);
  }

  @Test
  void aCaptureOfAPoolsAllocationMakesOneToo() {
    MemorySegment stream = stream();
    MemorySegment pool = out(n -> cuda_h.cuDeviceGetDefaultMemPool(n, 0));
    long before = outLong(n -> cuda_h.cuMemPoolGetAttribute(pool, 7, n));
    begin(stream, THREAD_LOCAL);
    long scratch = outLong(n -> cuda_h.cuMemAllocFromPoolAsync(n, 64, pool, stream));
    ok(cuda_h.cuMemFreeAsync(scratch, stream));
    assertThat(nodes(end(stream))).hasSize(2);
    assertThat(outLong(n -> cuda_h.cuMemPoolGetAttribute(pool, 7, n))).as("used").isEqualTo(before);
  }
}
