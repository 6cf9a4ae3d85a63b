package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_CONDITIONAL_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_GRAPH_INSTANTIATE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_HOST_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_MEMCPY3D;
import dev.reprise.bindings.cuda.CUgraphNodeParams;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What handles, conditional nodes and their bodies refuse. */
class ConditionalRulesTest extends ConditionalGraphs {

  private int tryConditional(MemorySegment graph, long handle, int type, int size) {
    MemorySegment params = conditionalParams(handle, type, size);
    return cuda_h.cuGraphAddNode_v2(array(), graph, NONE, NONE, 0, params);
  }

  private MemorySegment body() {
    MemorySegment graph = graph();
    return conditional(graph, handle(graph, 1), IF, 1).body();
  }

  private MemorySegment copy(MemorySegment from, long to) {
    MemorySegment params = CUDA_MEMCPY3D.allocate(arena());
    CUDA_MEMCPY3D.srcMemoryType(params, 1);
    CUDA_MEMCPY3D.srcHost(params, from);
    CUDA_MEMCPY3D.dstMemoryType(params, 2);
    CUDA_MEMCPY3D.dstDevice(params, to);
    CUDA_MEMCPY3D.WidthInBytes(params, 4);
    CUDA_MEMCPY3D.Height(params, 1);
    CUDA_MEMCPY3D.Depth(params, 1);
    return params;
  }

  private int tryCopy(MemorySegment graph, MemorySegment from, long to) {
    return cuda_h.cuGraphAddMemcpyNode(array(), graph, NONE, 0, copy(from, to), context());
  }

  private int tryHost(MemorySegment graph) {
    MemorySegment params = CUDA_HOST_NODE_PARAMS.allocate(arena());
    CUDA_HOST_NODE_PARAMS.fn(params, hostFunction(() -> {}));
    return cuda_h.cuGraphAddHostNode(array(), graph, NONE, 0, params);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "0, 3", "1, 0", "1, 2", "2, 0", "2, -1", "3, 1", "-1, 1"})
  void aNodeHasAKindThatExistsAndItsNumberOfBodies(int type, int size) {
    MemorySegment graph = graph();
    long handle = handle(graph);
    expect(Result.INVALID_VALUE, tryConditional(graph, handle, type, size));
    assertThat(nodes(graph)).isEmpty();
    // The handle is as it was.
    ok(tryConditional(graph, handle, IF, 1));
  }

  @Test
  void aHandleHasFlagsAGraphAndAContext() {
    MemorySegment slot = arena().allocate(8);
    MemorySegment graph = graph();
    expect(
        Result.INVALID_VALUE, cuda_h.cuGraphConditionalHandleCreate(slot, graph, context(), 0, 2));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphConditionalHandleCreate(slot, graph, graph, 0, 0));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuGraphConditionalHandleCreate(slot, context(), context(), 0, 0));
    expect(
        Result.INVALID_VALUE, cuda_h.cuGraphConditionalHandleCreate(NONE, graph, context(), 0, 0));
  }

  @Test
  void aHandleBelongsToOneNodeAtATime() {
    MemorySegment graph = graph();
    long handle = handle(graph);
    Added first = conditional(graph, handle, IF, 1);
    expect(Result.INVALID_VALUE, tryConditional(graph, handle, IF, 1));
    ok(cuda_h.cuGraphDestroyNode(first.node()));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphGetNodes(first.body(), NONE, array()));
    ok(tryConditional(graph, handle, WHILE, 1));
  }

  @Test
  void aHandleIsForItsGraphAndThoseInside() {
    MemorySegment graph = graph();
    long ofOther = handle(graph());
    expect(Result.INVALID_VALUE, tryConditional(graph, ofOther, IF, 1));
    Added added = conditional(graph, handle(graph, 1), IF, 1);
    long ofBody = handle(added.body(), 1);
    expect(Result.INVALID_VALUE, tryConditional(graph, ofBody, IF, 1));
    ok(tryConditional(added.body(), handle(graph, 1), IF, 1));
    ok(tryConditional(added.body(), ofBody, IF, 1));
    instantiate(graph);
  }

  @Test
  void theContextOfTheNodeIsThatOfItsHandle() {
    MemorySegment graph = graph();
    MemorySegment params = conditionalParams(handle(graph), IF, 1);
    MemorySegment other = out(slot -> cuda_h.cuCtxCreate_v4(slot, NONE, 0, 0));
    CUDA_CONDITIONAL_NODE_PARAMS.ctx(CUgraphNodeParams.conditional(params), other);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddNode_v2(array(), graph, NONE, NONE, 0, params));
    ok(cuda_h.cuCtxDestroy_v2(other));
    ok(cuda_h.cuCtxSetCurrent(context()));
  }

  @Test
  void kernelsOfABodyAreOfTheContextOfTheNode() {
    MemorySegment body = body();
    MemorySegment other = out(slot -> cuda_h.cuCtxCreate_v4(slot, NONE, 0, 0));
    loadKernels();
    MemorySegment alien = kernelParams("add", 1, ints(0), 1);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddKernelNode_v2(array(), body, NONE, 0, alien));
    ok(cuda_h.cuCtxDestroy_v2(other));
    ok(cuda_h.cuCtxSetCurrent(context()));
    assertThat(nodes(body)).isEmpty();
  }

  @Test
  void bodiesHoldNoHostNodesEventsOrPageableCopies() {
    MemorySegment body = body();
    long target = ints(0);
    expect(Result.INVALID_VALUE, tryHost(body));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddEventRecordNode(array(), body, NONE, 0, event()));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddEventWaitNode(array(), body, NONE, 0, event()));
    expect(Result.INVALID_VALUE, tryCopy(body, arena().allocateFrom(JAVA_INT, 1), target));
    assertThat(nodes(body)).isEmpty();
    ok(tryCopy(body, pinned(4), target));
    ok(cuda_h.cuGraphAddEmptyNode(array(), body, NONE, 0));
  }

  @Test
  void theRulesReachIntoChildGraphsOfBodies() {
    MemorySegment body = body();
    MemorySegment child = graph();
    ok(tryHost(child));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddChildGraphNode(array(), body, NONE, 0, child));
    MemorySegment node = out(slot -> cuda_h.cuGraphAddChildGraphNode(slot, body, NONE, 0, graph()));
    MemorySegment embedded = out(slot -> cuda_h.cuGraphChildGraphNodeGetGraph(node, slot));
    expect(Result.INVALID_VALUE, tryHost(embedded));
  }

  @Test
  void parametersSetLaterObeyTheRulesToo() {
    MemorySegment graph = graph();
    MemorySegment body = conditional(graph, handle(graph, 1), IF, 1).body();
    long target = ints(0);
    MemorySegment good = copy(pinned(4), target);
    MemorySegment bad = copy(arena().allocateFrom(JAVA_INT, 1), target);
    MemorySegment node =
        out(slot -> cuda_h.cuGraphAddMemcpyNode(slot, body, NONE, 0, good, context()));
    MemorySegment exec = instantiate(graph);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphMemcpyNodeSetParams(node, bad));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphExecMemcpyNodeSetParams(exec, node, bad, context()));
  }

  @Test
  void memoryOfABodyMustBeThereWhenItIsInstantiated() {
    MemorySegment graph = graph();
    MemorySegment body = conditional(graph, handle(graph, 1), IF, 1).body();
    MemorySegment host = pinned(4);
    ok(tryCopy(body, host, ints(0)));
    ok(cuda_h.cuMemFreeHost(host));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphInstantiateWithFlags(array(), graph, 0));
  }

  @Test
  void workThatABodyCannotHoldIsRefusedInACaptureIntoIt() {
    MemorySegment body = body();
    MemorySegment stream = stream();
    long target = ints(0);
    ok(cuda_h.cuStreamBeginCaptureToGraph(stream, body, NONE, NONE, 0, THREAD_LOCAL));
    MemorySegment function = hostFunction(() -> {});
    expect(Result.INVALID_VALUE, cuda_h.cuLaunchHostFunc(stream, function, NONE));
    ok(cuda_h.cuMemsetD32Async(target, 1, 1, stream));
    assertThat(end(stream)).isEqualTo(body);
    assertThat(nodes(body)).hasSize(1);
  }

  @Test
  void aGraphWithConditionalsIsNoChildAndHasNoClone() {
    MemorySegment graph = graph();
    conditional(graph, handle(graph, 1), IF, 1);
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphClone(array(), graph));
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphAddChildGraphNode(array(), graph(), NONE, 0, graph));
    MemorySegment exec = instantiate(graph);
    MemorySegment stream = stream();
    begin(stream, THREAD_LOCAL);
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphLaunch(exec, stream));
    end(stream);
  }

  @Test
  void oneExecOfAGraphWithConditionalsExistsAtATime() {
    long runs = ints(0);
    MemorySegment stream = stream();
    MemorySegment graph = graph();
    Added added = conditional(graph, handle(graph, 1), IF, 1);
    kernelNode(added.body(), NONE, "add", runs, 1);
    MemorySegment first = instantiate(graph);
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphInstantiateWithFlags(array(), graph, 0));
    Gate gate = hold(stream);
    ok(cuda_h.cuGraphLaunch(first, stream));
    ok(cuda_h.cuGraphExecDestroy(first));
    // The second shares the condition with the launch under way, so it waits for it.
    MemorySegment second = instantiate(graph);
    MemorySegment other = stream();
    ok(cuda_h.cuGraphLaunch(second, other));
    expectHeld(other);
    gate.open();
    synchronize(other);
    assertThat(read(runs, 1)).containsExactly(2);
  }

  @Test
  void bodiesGoWithTheirNodeOnly() {
    MemorySegment graph = graph();
    Added added = conditional(graph, handle(graph, 1), IF, 1);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphDestroy(added.body()));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphInstantiateWithFlags(array(), added.body(), 0));
    ok(cuda_h.cuGraphDestroy(graph));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphDestroy(added.body()));
  }

  @Test
  void anUnusedHandleKeepsAGraphFromBeingInstantiated() {
    MemorySegment graph = graph();
    long handle = handle(graph, 1);
    MemorySegment params = CUDA_GRAPH_INSTANTIATE_PARAMS.allocate(arena());
    expect(Result.INVALID_VALUE, cuda_h.cuGraphInstantiateWithParams(array(), graph, params));
    assertThat(CUDA_GRAPH_INSTANTIATE_PARAMS.result_out(params)).isEqualTo(5);
    conditional(graph, handle, IF, 1);
    ok(cuda_h.cuGraphInstantiateWithParams(array(), graph, params));
    assertThat(CUDA_GRAPH_INSTANTIATE_PARAMS.result_out(params)).isZero();
  }

  @Test
  void theParametersOfANodeCannotChange() {
    MemorySegment graph = graph();
    long handle = handle(graph, 1);
    Added added = conditional(graph, handle, IF, 1);
    MemorySegment exec = instantiate(graph);
    MemorySegment params = conditionalParams(handle, WHILE, 1);
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphNodeSetParams(added.node(), params));
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphExecNodeSetParams(exec, added.node(), params));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphNodeSetEnabled(exec, added.node(), 0));
  }
}
