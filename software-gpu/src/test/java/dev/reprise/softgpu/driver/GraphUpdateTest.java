package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_HOST_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_MEMCPY3D;
import dev.reprise.bindings.cuda.CUDA_MEMSET_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUgraphExecUpdateResultInfo;
import dev.reprise.bindings.cuda.CUhostFn;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Changing graphs and executable graphs after the fact. */
class GraphUpdateTest extends DriverTest {

  private static final MemorySegment NONE = MemorySegment.NULL;
  private static final int TOPOLOGY_CHANGED = 2;
  private static final int NODE_TYPE_CHANGED = 3;
  private static final int PARAMETERS_CHANGED = 5;

  private MemorySegment memsetParams(long dst, int value, long width) {
    MemorySegment params = CUDA_MEMSET_NODE_PARAMS.allocate(arena());
    CUDA_MEMSET_NODE_PARAMS.dst(params, dst);
    CUDA_MEMSET_NODE_PARAMS.value(params, value);
    CUDA_MEMSET_NODE_PARAMS.elementSize(params, 4);
    CUDA_MEMSET_NODE_PARAMS.width(params, width);
    CUDA_MEMSET_NODE_PARAMS.height(params, 1);
    return params;
  }

  private MemorySegment memsetNode(MemorySegment graph, long dst, int value) {
    return out(slot ->
        cuda_h.cuGraphAddMemsetNode(slot, graph, NONE, 0, memsetParams(dst, value, 1), context()));
  }

  private MemorySegment graph() {
    return out(slot -> cuda_h.cuGraphCreate(slot, 0));
  }

  private void launch(MemorySegment exec) {
    MemorySegment stream = stream();
    ok(cuda_h.cuGraphLaunch(exec, stream));
    synchronize(stream);
  }

  @Test
  void newParametersCountForLaterLaunchesOnly() {
    MemorySegment stream = stream();
    long first = ints(0);
    long second = ints(0);
    MemorySegment graph = graph();
    MemorySegment node = memsetNode(graph, first, 1);
    MemorySegment exec = instantiate(graph);
    Gate gate = hold(stream);
    ok(cuda_h.cuGraphLaunch(exec, stream));
    ok(cuda_h.cuGraphExecMemsetNodeSetParams(exec, node, memsetParams(second, 2, 1), context()));
    gate.open();
    synchronize(stream);
    assertThat(read(first, 1)).containsExactly(1);
    assertThat(read(second, 1)).containsExactly(0);
    launch(exec);
    assertThat(read(second, 1)).containsExactly(2);
    MemorySegment unchanged = CUDA_MEMSET_NODE_PARAMS.allocate(arena());
    ok(cuda_h.cuGraphMemsetNodeGetParams(node, unchanged));
    assertThat(CUDA_MEMSET_NODE_PARAMS.dst(unchanged)).isEqualTo(first);
  }

  @Test
  void parametersOfAGraphDoNotReachExecutableGraphs() {
    long buffer = ints(0);
    MemorySegment graph = graph();
    MemorySegment node = memsetNode(graph, buffer, 1);
    MemorySegment exec = instantiate(graph);
    ok(cuda_h.cuGraphMemsetNodeSetParams(node, memsetParams(buffer, 9, 1)));
    launch(exec);
    assertThat(read(buffer, 1)).containsExactly(1);
    launch(instantiate(graph));
    assertThat(read(buffer, 1)).containsExactly(9);
  }

  @Test
  void nodesCanBeSwitchedOffAndOn() {
    long buffer = ints(0);
    MemorySegment graph = graph();
    MemorySegment node = memsetNode(graph, buffer, 1);
    MemorySegment exec = instantiate(graph);
    ok(cuda_h.cuGraphNodeSetEnabled(exec, node, 0));
    assertThat(outInt(slot -> cuda_h.cuGraphNodeGetEnabled(exec, node, slot))).isZero();
    launch(exec);
    assertThat(read(buffer, 1)).containsExactly(0);
    ok(cuda_h.cuGraphExecMemsetNodeSetParams(exec, node, memsetParams(buffer, 4, 1), context()));
    launch(exec);
    assertThat(read(buffer, 1)).containsExactly(0);
    ok(cuda_h.cuGraphNodeSetEnabled(exec, node, 1));
    launch(exec);
    assertThat(read(buffer, 1)).containsExactly(4);
  }

  @Test
  void aChildGraphCanBeExchangedForOneOfTheSameShape() {
    long buffer = ints(0, 0);
    MemorySegment child = graph();
    memsetNode(child, buffer, 1);
    MemorySegment graph = graph();
    MemorySegment node = out(slot -> cuda_h.cuGraphAddChildGraphNode(slot, graph, NONE, 0, child));
    MemorySegment other = memsetNode(graph, buffer + 4, 5);
    MemorySegment exec = instantiate(graph);
    MemorySegment same = graph();
    memsetNode(same, buffer, 2);
    ok(cuda_h.cuGraphExecChildGraphNodeSetParams(exec, node, same));
    launch(exec);
    assertThat(read(buffer, 2)).containsExactly(2, 5);
    memsetNode(same, buffer, 3);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphExecChildGraphNodeSetParams(exec, node, same));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphExecChildGraphNodeSetParams(exec, other, child));
    launch(exec);
    assertThat(read(buffer, 2)).containsExactly(2, 5);
    launch(instantiate(graph));
    assertThat(read(buffer, 2)).containsExactly(1, 5);
  }

  @Test
  void theParametersOfACopyReadBackMakeTheSameCopy() {
    long from = ints(1, 2, 3, 4, 5, 6, 7, 8);
    long to = ints(0, 0, 0, 0, 0, 0, 0, 0);
    MemorySegment host = pinned(16);
    MemorySegment box = CUDA_MEMCPY3D.allocate(arena());
    CUDA_MEMCPY3D.srcMemoryType(box, cuda_h.CU_MEMORYTYPE_DEVICE());
    CUDA_MEMCPY3D.srcDevice(box, from);
    CUDA_MEMCPY3D.srcPitch(box, 16);
    CUDA_MEMCPY3D.dstMemoryType(box, cuda_h.CU_MEMORYTYPE_DEVICE());
    CUDA_MEMCPY3D.dstDevice(box, to);
    CUDA_MEMCPY3D.dstPitch(box, 8);
    CUDA_MEMCPY3D.WidthInBytes(box, 8);
    CUDA_MEMCPY3D.Height(box, 2);
    CUDA_MEMCPY3D.Depth(box, 1);
    MemorySegment graph = graph();
    MemorySegment node =
        out(slot -> cuda_h.cuGraphAddMemcpyNode(slot, graph, NONE, 0, box, context()));
    MemorySegment back = CUDA_MEMCPY3D.allocate(arena());
    ok(cuda_h.cuGraphMemcpyNodeGetParams(node, back));
    assertThat(CUDA_MEMCPY3D.srcDevice(back)).isEqualTo(from);
    assertThat(CUDA_MEMCPY3D.dstPitch(back)).isEqualTo(8);
    MemorySegment again = graph();
    out(slot -> cuda_h.cuGraphAddMemcpyNode(slot, again, NONE, 0, back, context()));
    launch(instantiate(again));
    assertThat(read(to, 8)).containsExactly(1, 2, 5, 6, 0, 0, 0, 0);

    CUDA_MEMCPY3D.dstMemoryType(box, cuda_h.CU_MEMORYTYPE_HOST());
    CUDA_MEMCPY3D.dstHost(box, host);
    ok(cuda_h.cuGraphMemcpyNodeSetParams(node, box));
    ok(cuda_h.cuGraphMemcpyNodeGetParams(node, back));
    assertThat(CUDA_MEMCPY3D.dstMemoryType(back)).isEqualTo(cuda_h.CU_MEMORYTYPE_HOST());
    assertThat(CUDA_MEMCPY3D.dstHost(back).address()).isEqualTo(host.address());
    launch(instantiate(graph));
    assertThat(host.reinterpret(16).toArray(JAVA_INT)).containsExactly(1, 2, 5, 6);
    MemorySegment fill = memsetNode(graph, to, 1);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphMemcpyNodeSetParams(fill, box));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphMemcpyNodeGetParams(fill, back));
  }

  @Test
  void onlyWorkNodesCanBeSwitchedOff() {
    MemorySegment graph = graph();
    MemorySegment empty = out(slot -> cuda_h.cuGraphAddEmptyNode(slot, graph, NONE, 0));
    MemorySegment exec = instantiate(graph);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphNodeSetEnabled(exec, empty, 0));
    MemorySegment alien = memsetNode(graph(), ints(0), 1);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphNodeSetEnabled(exec, alien, 0));
  }

  @Test
  void aWholeGraphUpdatesAnExecOfTheSameShape() {
    long buffer = ints(0, 0);
    MemorySegment graph = graph();
    memsetNode(graph, buffer, 1);
    memsetNode(graph, buffer + 4, 2);
    MemorySegment exec = instantiate(graph);
    MemorySegment updated = graph();
    memsetNode(updated, buffer, 3);
    memsetNode(updated, buffer + 4, 4);
    assertThat(update(Result.SUCCESS, exec, updated)).isZero();
    launch(exec);
    assertThat(read(buffer, 2)).containsExactly(3, 4);
  }

  @Test
  void aGraphOfAnotherShapeUpdatesNothing() {
    long buffer = ints(0, 0);
    MemorySegment graph = graph();
    memsetNode(graph, buffer, 1);
    memsetNode(graph, buffer + 4, 2);
    MemorySegment exec = instantiate(graph);

    MemorySegment fewer = graph();
    memsetNode(fewer, buffer, 8);
    assertThat(update(Result.GRAPH_EXEC_UPDATE_FAILURE, exec, fewer)).isEqualTo(TOPOLOGY_CHANGED);

    MemorySegment otherEdges = graph();
    MemorySegment a = memsetNode(otherEdges, buffer, 8);
    MemorySegment b = memsetNode(otherEdges, buffer + 4, 8);
    ok(
        cuda_h.cuGraphAddDependencies(
            otherEdges, arena().allocateFrom(ADDRESS, a), arena().allocateFrom(ADDRESS, b), 1));
    assertThat(update(Result.GRAPH_EXEC_UPDATE_FAILURE, exec, otherEdges))
        .isEqualTo(TOPOLOGY_CHANGED);

    MemorySegment otherType = graph();
    memsetNode(otherType, buffer, 8);
    out(slot -> cuda_h.cuGraphAddEmptyNode(slot, otherType, NONE, 0));
    assertThat(update(Result.GRAPH_EXEC_UPDATE_FAILURE, exec, otherType))
        .isEqualTo(NODE_TYPE_CHANGED);

    launch(exec);
    assertThat(read(buffer, 2)).containsExactly(1, 2);
  }

  @Test
  void aCopyKeepsTheKindsOfItsMemory() {
    long buffer = ints(0, 0);
    long other = ints(7, 7);
    MemorySegment graph = graph();
    MemorySegment node =
        out(slot ->
            cuda_h.cuGraphAddMemcpyNode(
                slot, graph, NONE, 0, copyParams(buffer, other, 4), context()));
    MemorySegment exec = instantiate(graph);
    MemorySegment host = pinned(8);
    MemorySegment fromHost = copyParams(buffer, other, 4);
    CUDA_MEMCPY3D.srcMemoryType(fromHost, 1);
    CUDA_MEMCPY3D.srcHost(fromHost, host);
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuGraphExecMemcpyNodeSetParams(exec, node, fromHost, context()));
    ok(
        cuda_h.cuGraphExecMemcpyNodeSetParams(
            exec, node, copyParams(buffer + 4, other, 4), context()));
    launch(exec);
    assertThat(read(buffer, 2)).containsExactly(0, 7);

    MemorySegment updated = graph();
    out(slot -> cuda_h.cuGraphAddMemcpyNode(slot, updated, NONE, 0, fromHost, context()));
    assertThat(update(Result.GRAPH_EXEC_UPDATE_FAILURE, exec, updated))
        .isEqualTo(PARAMETERS_CHANGED);
  }

  private MemorySegment copyParams(long dst, long src, long bytes) {
    MemorySegment params = CUDA_MEMCPY3D.allocate(arena());
    CUDA_MEMCPY3D.srcMemoryType(params, 2);
    CUDA_MEMCPY3D.srcDevice(params, src);
    CUDA_MEMCPY3D.dstMemoryType(params, 2);
    CUDA_MEMCPY3D.dstDevice(params, dst);
    CUDA_MEMCPY3D.WidthInBytes(params, bytes);
    CUDA_MEMCPY3D.Height(params, 1);
    CUDA_MEMCPY3D.Depth(params, 1);
    return params;
  }

  @Test
  void aCopyOfABoxFollowsPitchAndHeight() {
    long source = ints(1, 2, 3, 4, 5, 6, 7, 8);
    long target = ints(0, 0, 0, 0, 0, 0, 0, 0);
    MemorySegment params = copyParams(target, source, 4);
    CUDA_MEMCPY3D.Height(params, 2);
    CUDA_MEMCPY3D.Depth(params, 2);
    CUDA_MEMCPY3D.srcPitch(params, 8);
    CUDA_MEMCPY3D.srcHeight(params, 2);
    CUDA_MEMCPY3D.dstPitch(params, 4);
    CUDA_MEMCPY3D.dstHeight(params, 2);
    CUDA_MEMCPY3D.srcXInBytes(params, 4);
    MemorySegment graph = graph();
    out(slot -> cuda_h.cuGraphAddMemcpyNode(slot, graph, NONE, 0, params, context()));
    launch(instantiate(graph));
    assertThat(read(target, 8)).containsExactly(2, 4, 6, 8, 0, 0, 0, 0);
  }

  @Test
  void hostNodesAreUnrestricted() {
    List<String> calls = Collections.synchronizedList(new ArrayList<>());
    MemorySegment first = hostParams(() -> calls.add("first"));
    MemorySegment second = hostParams(() -> calls.add("second"));
    MemorySegment graph = graph();
    MemorySegment node = out(slot -> cuda_h.cuGraphAddHostNode(slot, graph, NONE, 0, first));
    MemorySegment exec = instantiate(graph);
    launch(exec);
    ok(cuda_h.cuGraphExecHostNodeSetParams(exec, node, second));
    launch(exec);
    assertThat(calls).containsExactly("first", "second");
  }

  private MemorySegment hostParams(Runnable body) {
    MemorySegment params = CUDA_HOST_NODE_PARAMS.allocate(arena());
    CUDA_HOST_NODE_PARAMS.fn(params, hostFunction(body));
    return params;
  }

  private int update(Result expected, MemorySegment exec, MemorySegment graph) {
    MemorySegment info = CUgraphExecUpdateResultInfo.allocate(arena());
    expect(expected, cuda_h.cuGraphExecUpdate_v2(exec, graph, info));
    return CUgraphExecUpdateResultInfo.result(info);
  }

  @Test
  void aUserObjectLivesAsLongAsGraphsHoldIt() throws InterruptedException {
    List<Long> destroyed = Collections.synchronizedList(new ArrayList<>());
    MemorySegment destructor =
        CUhostFn.allocate(
            data -> {
              destroyed.add(data.address());
              synchronized (destroyed) {
                destroyed.notifyAll();
              }
            },
            arena());
    MemorySegment graph = graph();
    MemorySegment object =
        out(slot ->
            cuda_h.cuUserObjectCreate(slot, MemorySegment.ofAddress(0x77), destructor, 1, 1));
    ok(cuda_h.cuGraphRetainUserObject(graph, object, 1, 1));
    expect(Result.INVALID_VALUE, cuda_h.cuUserObjectRelease(object, 2));
    MemorySegment exec = instantiate(graph);
    ok(cuda_h.cuGraphDestroy(graph));
    MemorySegment stream = stream();
    Gate gate = hold(stream);
    ok(cuda_h.cuGraphLaunch(exec, stream));
    ok(cuda_h.cuGraphExecDestroy(exec));
    assertThat(destroyed).isEmpty();
    gate.open();
    synchronized (destroyed) {
      while (destroyed.isEmpty()) {
        destroyed.wait(100);
      }
    }
    assertThat(destroyed).containsExactly(0x77L);
    expect(Result.INVALID_VALUE, cuda_h.cuUserObjectRetain(object, 1));
  }
}
