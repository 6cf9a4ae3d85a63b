package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_KERNEL_NODE_PARAMS_v2;
import dev.reprise.bindings.cuda.CUgraphExecUpdateResultInfo;
import dev.reprise.bindings.cuda.CUlaunchAttributeValue;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attributes of kernel nodes, and what updates make of them. */
class KernelNodeAttributeTest extends ConditionalGraphs {

  private static final int COOPERATIVE = 2;
  private static final int CLUSTER = 4;
  private static final int PRIORITY = 8;
  private static final int ATTRIBUTES_CHANGED = 8;

  private MemorySegment value(int number) {
    MemorySegment value = CUlaunchAttributeValue.allocate(arena());
    value.set(JAVA_INT, 0, number);
    return value;
  }

  private int get(MemorySegment node, int attribute) {
    MemorySegment value = value(-1);
    ok(cuda_h.cuGraphKernelNodeGetAttribute(node, attribute, value));
    return value.get(JAVA_INT, 0);
  }

  private static int trySet(MemorySegment node, int attribute, MemorySegment value) {
    return cuda_h.cuGraphKernelNodeSetAttribute(node, attribute, value);
  }

  private MemorySegment addNode(MemorySegment graph) {
    return kernelNode(graph, NONE, "add", ints(0), 1);
  }

  @Test
  void anAttributeIsZeroUntilItIsSet() {
    MemorySegment node = addNode(graph());
    assertThat(get(node, PRIORITY)).isZero();
    ok(trySet(node, PRIORITY, value(-2)));
    ok(trySet(node, COOPERATIVE, value(1)));
    assertThat(get(node, PRIORITY)).isEqualTo(-2);
    assertThat(get(node, COOPERATIVE)).isEqualTo(1);
  }

  @Test
  void attributesAreCopiedAndOutliveOtherParametersAndClones() {
    MemorySegment graph = graph();
    MemorySegment from = addNode(graph);
    MemorySegment to = addNode(graph);
    ok(trySet(from, PRIORITY, value(-1)));
    ok(trySet(to, COOPERATIVE, value(1)));
    ok(cuda_h.cuGraphKernelNodeCopyAttributes(to, from));
    assertThat(get(to, PRIORITY)).isEqualTo(-1);
    assertThat(get(to, COOPERATIVE)).isZero();
    ok(cuda_h.cuGraphKernelNodeSetParams_v2(to, kernelParams("add", 1, ints(0), 2)));
    assertThat(get(to, PRIORITY)).isEqualTo(-1);
    MemorySegment clone = out(slot -> cuda_h.cuGraphClone(slot, graph));
    MemorySegment cloned = out(slot -> cuda_h.cuGraphNodeFindInClone(slot, to, clone));
    assertThat(get(cloned, PRIORITY)).isEqualTo(-1);
  }

  @Test
  void aCapturedKernelHasThePriorityOfItsStream() {
    MemorySegment stream = out(slot -> cuda_h.cuStreamCreateWithPriority(slot, NON_BLOCKING, -1));
    long target = ints(0);
    begin(stream, THREAD_LOCAL);
    launch(kernel("add"), 1, 1, stream, target, 1);
    assertThat(get(nodes(end(stream)).get(0), PRIORITY)).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 6, 7, 12, 15, 99, -1})
  void attributesThatNodesLackAreRefused(int attribute) {
    MemorySegment node = addNode(graph());
    expect(Result.INVALID_VALUE, trySet(node, attribute, value(0)));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphKernelNodeGetAttribute(node, attribute, value(0)));
  }

  @Test
  void whatTheDeviceCannotDoIsRefusedAndNothingIsSet() {
    MemorySegment node = addNode(graph());
    // No extent along the other axes.
    MemorySegment cluster = value(2);
    expect(Result.INVALID_CLUSTER_SIZE, trySet(node, CLUSTER, cluster));
    assertThat(get(node, CLUSTER)).isZero();
    MemorySegment wide = kernelParams("add", 1024, ints(0), 1);
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimX(wide, 1 << 20);
    MemorySegment large = out(slot -> cuda_h.cuGraphAddKernelNode_v2(slot, graph(), NONE, 0, wide));
    expect(Result.COOPERATIVE_LAUNCH_TOO_LARGE, trySet(large, COOPERATIVE, value(1)));
    assertThat(get(large, COOPERATIVE)).isZero();
    ok(trySet(node, COOPERATIVE, value(1)));
    expect(Result.COOPERATIVE_LAUNCH_TOO_LARGE, cuda_h.cuGraphKernelNodeSetParams_v2(node, wide));
  }

  @Test
  void onlyKernelNodesHaveThem() {
    MemorySegment graph = graph();
    MemorySegment empty = out(slot -> cuda_h.cuGraphAddEmptyNode(slot, graph, NONE, 0));
    MemorySegment kernel = addNode(graph);
    expect(Result.INVALID_VALUE, trySet(empty, PRIORITY, value(1)));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphKernelNodeCopyAttributes(kernel, empty));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphKernelNodeGetAttribute(kernel, PRIORITY, NONE));
  }

  @Test
  void anUpdateCannotMakeALaunchCooperativeOrChangePrioritiesInUse() {
    MemorySegment graph = graph();
    addNode(graph);
    MemorySegment plain = instantiate(graph);
    MemorySegment prioritized = out(slot -> cuda_h.cuGraphInstantiateWithFlags(slot, graph, 8));
    MemorySegment other = graph();
    MemorySegment node = addNode(other);
    ok(trySet(node, PRIORITY, value(-1)));
    MemorySegment info = CUgraphExecUpdateResultInfo.allocate(arena());
    ok(cuda_h.cuGraphExecUpdate_v2(plain, other, info));
    expect(Result.GRAPH_EXEC_UPDATE_FAILURE, cuda_h.cuGraphExecUpdate_v2(prioritized, other, info));
    assertThat(CUgraphExecUpdateResultInfo.result(info)).isEqualTo(ATTRIBUTES_CHANGED);
    assertThat(CUgraphExecUpdateResultInfo.errorNode(info)).isEqualTo(node);
    ok(trySet(node, COOPERATIVE, value(1)));
    expect(Result.GRAPH_EXEC_UPDATE_FAILURE, cuda_h.cuGraphExecUpdate_v2(plain, other, info));
    assertThat(CUgraphExecUpdateResultInfo.result(info)).isEqualTo(ATTRIBUTES_CHANGED);
  }
}
