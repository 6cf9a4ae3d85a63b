package dev.reprise.softgpu.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUgraphExecUpdateResultInfo;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Updating executable graphs that hold conditional nodes. */
class ConditionalUpdateTest extends ConditionalGraphs {

  private static final int TOPOLOGY_CHANGED = 2;
  private static final int PARAMETERS_CHANGED = 5;
  private static final int UPDATE_NOT_SUPPORTED = 6;

  /** A loop that adds an amount to a number until its counter is at zero. */
  private MemorySegment loop(long left, long to, int amount, int defaultValue) {
    MemorySegment graph = graph();
    long handle = handle(graph, defaultValue);
    Added added = conditional(graph, handle, WHILE, 1);
    MemorySegment first = kernelNode(added.body(), NONE, "add", to, amount);
    kernelNode(added.body(), first, "count_down", handle, left);
    return graph;
  }

  private void update(MemorySegment exec, MemorySegment graph) {
    ok(cuda_h.cuGraphExecUpdate_v2(exec, graph, CUgraphExecUpdateResultInfo.allocate(arena())));
  }

  private void expectUpdate(int result, MemorySegment exec, MemorySegment graph) {
    MemorySegment info = CUgraphExecUpdateResultInfo.allocate(arena());
    expect(Result.GRAPH_EXEC_UPDATE_FAILURE, cuda_h.cuGraphExecUpdate_v2(exec, graph, info));
    assertThat(CUgraphExecUpdateResultInfo.result(info)).isEqualTo(result);
  }

  @Test
  void anUpdateReachesIntoBodiesAndTakesTheDefaultOver() {
    long left = ints(2);
    long total = ints(0);
    MemorySegment exec = instantiate(loop(left, total, 1, 1));
    launch(exec);
    assertThat(read(total, 1)).containsExactly(2);
    fill(left, 3, 1, NONE);
    update(exec, loop(left, total, 10, 1));
    launch(exec);
    assertThat(read(total, 1)).containsExactly(32);
    update(exec, loop(left, total, 10, 0));
    fill(left, 3, 1, NONE);
    launch(exec);
    assertThat(read(total, 1)).containsExactly(32);
  }

  @Test
  void launchesUnderWayKeepTheConditionsTheyBeganWith() {
    long left = ints(2);
    long total = ints(0);
    long before = used();
    MemorySegment stream = stream();
    MemorySegment first = loop(left, total, 1, 1);
    MemorySegment exec = instantiate(first);
    Gate gate = hold(stream);
    ok(cuda_h.cuGraphLaunch(exec, stream));
    MemorySegment second = loop(left, total, 100, 0);
    update(exec, second);
    ok(cuda_h.cuGraphDestroy(first));
    ok(cuda_h.cuGraphDestroy(second));
    ok(cuda_h.cuGraphLaunch(exec, stream));
    gate.open();
    synchronize(stream);
    assertThat(read(total, 1)).containsExactly(2);
    ok(cuda_h.cuGraphExecDestroy(exec));
    assertThat(used()).isEqualTo(before);
  }

  @Test
  void oneNodeInABodyCanBeSet() {
    long left = ints(2);
    long total = ints(0);
    MemorySegment graph = graph();
    long handle = handle(graph, 1);
    Added added = conditional(graph, handle, WHILE, 1);
    MemorySegment add = kernelNode(added.body(), NONE, "add", total, 1);
    kernelNode(added.body(), add, "count_down", handle, left);
    MemorySegment exec = instantiate(graph);
    ok(cuda_h.cuGraphExecKernelNodeSetParams_v2(exec, add, kernelParams("add", 1, total, 50)));
    launch(exec);
    assertThat(read(total, 1)).containsExactly(100);
    ok(cuda_h.cuGraphNodeSetEnabled(exec, add, 0));
    fill(left, 2, 1, NONE);
    launch(exec);
    assertThat(read(total, 1)).containsExactly(100);
  }

  @Test
  void anotherKindOrShapeIsRefusedAndNothingChanges() {
    long left = ints(2);
    long total = ints(0);
    MemorySegment exec = instantiate(loop(left, total, 1, 1));
    MemorySegment other = graph();
    conditional(other, handle(other, 1), IF, 1);
    expectUpdate(PARAMETERS_CHANGED, exec, other);
    MemorySegment longer = graph();
    Added added = conditional(longer, handle(longer, 1), WHILE, 1);
    kernelNode(added.body(), NONE, "add", total, 1);
    expectUpdate(TOPOLOGY_CHANGED, exec, longer);
    launch(exec);
    assertThat(read(total, 1)).containsExactly(2);
  }

  @Test
  void aGraphWithAnExecOfItsOwnUpdatesNoOther() {
    long left = ints(2);
    long total = ints(0);
    MemorySegment exec = instantiate(loop(left, total, 1, 1));
    MemorySegment taken = loop(left, total, 2, 1);
    MemorySegment its = instantiate(taken);
    expectUpdate(UPDATE_NOT_SUPPORTED, exec, taken);
    ok(cuda_h.cuGraphExecDestroy(its));
    update(exec, taken);
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphInstantiateWithFlags(array(), taken, 0));
    ok(cuda_h.cuGraphExecDestroy(exec));
    instantiate(taken);
  }
}
