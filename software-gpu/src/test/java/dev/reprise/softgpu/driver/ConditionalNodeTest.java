package dev.reprise.softgpu.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_MEMCPY3D;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What conditional nodes do in a launch. */
class ConditionalNodeTest extends ConditionalGraphs {

  private void setTo(long address, int value) {
    fill(address, value, 1, NONE);
    ok(cuda_h.cuCtxSynchronize());
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 7", "2147483648, 7"})
  void anIfRunsItsBodyForAnyValueButZero(long value, int expected) {
    long decision = ints((int) value);
    long result = ints(0);
    MemorySegment graph = graph();
    long handle = handle(graph);
    MemorySegment first = kernelNode(graph, NONE, "decide", handle, decision);
    Added added = conditional(graph, handle, IF, 1, first);
    assertThat(nodeType(added.node())).isEqualTo(CONDITIONAL);
    kernelNode(added.body(), NONE, "add", result, 7);
    launch(instantiate(graph));
    assertThat(read(result, 1)).containsExactly(expected);
  }

  @Test
  void anElseRunsForZeroOnly() {
    long decision = ints(0);
    long result = ints(0);
    MemorySegment graph = graph();
    long handle = handle(graph);
    Added added =
        conditional(graph, handle, IF, 2, kernelNode(graph, NONE, "decide", handle, decision));
    kernelNode(added.bodies().get(0), NONE, "add", result, 1);
    kernelNode(added.bodies().get(1), NONE, "add", result, 100);
    MemorySegment exec = instantiate(graph);
    launch(exec);
    assertThat(read(result, 1)).containsExactly(100);
    setTo(decision, 1);
    launch(exec);
    assertThat(read(result, 1)).containsExactly(101);
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 10", "2, 100", "3, 0", "-1, 0"})
  void aSwitchRunsTheBodyOfTheValueOrNone(int value, int expected) {
    long result = ints(0);
    MemorySegment graph = graph();
    Added added = conditional(graph, handle(graph, value), SWITCH, 3);
    int amount = 1;
    for (MemorySegment body : added.bodies()) {
      kernelNode(body, NONE, "add", result, amount);
      amount *= 10;
    }
    launch(instantiate(graph));
    assertThat(read(result, 1)).containsExactly(expected);
  }

  @Test
  void aWhileRunsUntilItsBodySaysOtherwise() {
    long left = ints(1000);
    long runs = ints(0);
    MemorySegment graph = graph();
    long handle = handle(graph, 1);
    Added added = conditional(graph, handle, WHILE, 1);
    MemorySegment counted = kernelNode(added.body(), NONE, "add", runs, 1);
    kernelNode(added.body(), counted, "count_down", handle, left);
    MemorySegment after = kernelNode(graph, added.node(), "add", runs, 5000);
    assertThat(dependencies(after)).containsExactly(added.node());
    MemorySegment exec = instantiate(graph);
    launch(exec);
    assertThat(read(left, 1)).containsExactly(0);
    assertThat(read(runs, 1)).containsExactly(6000);
    setTo(left, 3);
    launch(exec);
    assertThat(read(runs, 1)).containsExactly(11003);
  }

  @Test
  void aWhileWhoseConditionIsZeroAtTheStartNeverRuns() {
    long runs = ints(0);
    MemorySegment graph = graph();
    Added added = conditional(graph, handle(graph, 0), WHILE, 1);
    kernelNode(added.body(), NONE, "add", runs, 1);
    launch(instantiate(graph));
    assertThat(read(runs, 1)).containsExactly(0);
  }

  @Test
  void theDefaultIsGivenAtTheStartOfEachLaunch() {
    long zero = ints(0);
    long result = ints(0);
    MemorySegment graph = graph();
    long handle = handle(graph, 1);
    Added added = conditional(graph, handle, IF, 1);
    kernelNode(added.body(), NONE, "add", result, 1);
    kernelNode(graph, added.node(), "decide", handle, zero);
    MemorySegment exec = instantiate(graph);
    launch(exec);
    launch(exec);
    assertThat(read(result, 1)).containsExactly(2);
  }

  @Test
  void aConditionThatNothingSetEndsTheLaunch() {
    long one = ints(1);
    MemorySegment graph = graph();
    long handle = handle(graph);
    MemorySegment decide = kernelNode(graph, NONE, "decide", handle, one);
    conditional(graph, handle, IF, 1, decide);
    MemorySegment exec = instantiate(graph);
    launch(exec);
    // What the launch before set does not count.
    ok(cuda_h.cuGraphNodeSetEnabled(exec, decide, 0));
    MemorySegment stream = stream();
    ok(cuda_h.cuGraphLaunch(exec, stream));
    expect(Result.LAUNCH_FAILED, cuda_h.cuStreamSynchronize(stream));
  }

  @Test
  void conditionalsNest() {
    long outerLeft = ints(3);
    long innerLeft = ints(0);
    long four = ints(4);
    long runs = ints(0);
    MemorySegment graph = graph();
    long outer = handle(graph, 1);
    long inner = handle(graph);
    long one = ints(1);
    Added loop = conditional(graph, outer, WHILE, 1);
    MemorySegment reset = out(slot -> copyNode(slot, loop.body(), NONE, innerLeft, four));
    MemorySegment again = kernelNode(loop.body(), reset, "decide", inner, one);
    Added innerLoop = conditional(loop.body(), inner, WHILE, 1, again);
    MemorySegment counted = kernelNode(innerLoop.body(), NONE, "add", runs, 1);
    kernelNode(innerLoop.body(), counted, "count_down", inner, innerLeft);
    kernelNode(loop.body(), innerLoop.node(), "count_down", outer, outerLeft);
    launch(instantiate(graph));
    assertThat(read(runs, 1)).containsExactly(12);
  }

  private int copyNode(
      MemorySegment slot, MemorySegment graph, MemorySegment after, long to, long from) {
    MemorySegment params = CUDA_MEMCPY3D.allocate(arena());
    CUDA_MEMCPY3D.srcMemoryType(params, 2);
    CUDA_MEMCPY3D.srcDevice(params, from);
    CUDA_MEMCPY3D.dstMemoryType(params, 2);
    CUDA_MEMCPY3D.dstDevice(params, to);
    CUDA_MEMCPY3D.WidthInBytes(params, 4);
    CUDA_MEMCPY3D.Height(params, 1);
    CUDA_MEMCPY3D.Depth(params, 1);
    int count = after.equals(NONE) ? 0 : 1;
    return cuda_h.cuGraphAddMemcpyNode(slot, graph, array(after), count, params, context());
  }

  @Test
  void oneLaneOfADivergedWarpSetsTheCondition() {
    long result = ints(0);
    MemorySegment graph = graph();
    long handle = handle(graph);
    MemorySegment first = kernelNode(graph, NONE, 32, "decide_by_lane", handle, 2);
    Added added = conditional(graph, handle, SWITCH, 3, first);
    kernelNode(added.bodies().get(2), NONE, "add", result, 9);
    launch(instantiate(graph));
    assertThat(read(result, 1)).containsExactly(9);
  }

  @Test
  void workOfAStreamIsCapturedIntoABody() {
    long left = ints(5);
    long runs = ints(0);
    MemorySegment stream = stream();
    MemorySegment graph = graph();
    long handle = handle(graph, 1);
    Added added = conditional(graph, handle, WHILE, 1);
    ok(cuda_h.cuStreamBeginCaptureToGraph(stream, added.body(), NONE, NONE, 0, THREAD_LOCAL));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphDestroy(graph));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphInstantiateWithFlags(array(), graph, 0));
    launch(kernel("add"), 1, 1, stream, runs, 2);
    launch(kernel("count_down"), 1, 1, stream, handle, left);
    assertThat(end(stream)).isEqualTo(added.body());
    launch(instantiate(graph));
    assertThat(read(runs, 1)).containsExactly(10);
  }

  @Test
  void aLoopThatNeverEndsEndsWithItsContext() {
    long runs = ints(0);
    MemorySegment graph = graph();
    Added added = conditional(graph, handle(graph, 1), WHILE, 1);
    kernelNode(added.body(), NONE, "add", runs, 1);
    MemorySegment exec = instantiate(graph);
    MemorySegment stream = stream();
    ok(cuda_h.cuGraphLaunch(exec, stream));
    expectHeld(stream);
    // The end of the test resets the context, which waits for all work.
  }

  @Test
  void aHandleOfADestroyedGraphFaults() {
    long one = ints(1);
    MemorySegment graph = graph();
    long handle = handle(graph);
    ok(cuda_h.cuGraphDestroy(graph));
    MemorySegment stream = stream();
    launch(kernel("decide"), 1, 1, stream, handle, one);
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamSynchronize(stream));
  }

  @Test
  void anExecOutlivesItsGraphAndGivesItsMemoryBack() {
    long result = ints(0);
    long before = used();
    MemorySegment graph = graph();
    Added added = conditional(graph, handle(graph, 1), IF, 1);
    kernelNode(added.body(), NONE, "add", result, 1);
    MemorySegment exec = instantiate(graph);
    ok(cuda_h.cuGraphDestroy(graph));
    launch(exec);
    assertThat(read(result, 1)).containsExactly(1);
    assertThat(used()).isGreaterThan(before);
    ok(cuda_h.cuGraphExecDestroy(exec));
    assertThat(used()).isEqualTo(before);
  }

  @Test
  void dotShowsEachBody(@TempDir Path folder) throws IOException {
    MemorySegment graph = graph();
    Added added = conditional(graph, handle(graph, 1), IF, 2);
    MemorySegment inBody = kernelNode(added.bodies().get(1), NONE, "add", ints(0), 1);
    Path file = folder.resolve("graph.dot");
    ok(cuda_h.cuGraphDebugDotPrint(graph, arena().allocateFrom(file.toString()), 0));
    String node = "node_%x".formatted(added.node().address());
    assertThat(Files.readString(file))
        .contains("CONDITIONAL\\nIF on handle", "cluster_" + node + " {", "cluster_" + node + "_1")
        .contains("node_%x [".formatted(inBody.address()));
  }
}
