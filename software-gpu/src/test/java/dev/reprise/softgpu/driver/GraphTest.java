package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_GRAPH_INSTANTIATE_PARAMS;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The structure of graphs, and what a launch does. */
class GraphTest extends DriverTest {

  private static final MemorySegment NONE = MemorySegment.NULL;

  private MemorySegment graph() {
    return out(slot -> cuda_h.cuGraphCreate(slot, 0));
  }

  private MemorySegment array(MemorySegment... handles) {
    MemorySegment array = arena().allocate(ADDRESS, Math.max(1, handles.length));
    for (int i = 0; i < handles.length; i++) {
      array.setAtIndex(ADDRESS, i, handles[i]);
    }
    return array;
  }

  private MemorySegment emptyNode(MemorySegment graph, MemorySegment... dependencies) {
    return out(
        slot -> cuda_h.cuGraphAddEmptyNode(slot, graph, array(dependencies), dependencies.length));
  }

  @Test
  void nodesAndEdgesCanBeListed() {
    MemorySegment graph = graph();
    MemorySegment a = emptyNode(graph);
    MemorySegment b = emptyNode(graph, a);
    MemorySegment c = emptyNode(graph, a, b);
    assertThat(nodes(graph)).containsExactly(a, b, c);
    MemorySegment from = arena().allocate(ADDRESS, 4);
    MemorySegment to = arena().allocate(ADDRESS, 4);
    MemorySegment count = arena().allocateFrom(JAVA_LONG, 4);
    ok(cuda_h.cuGraphGetEdges_v2(graph, from, to, NONE, count));
    assertThat(count.get(JAVA_LONG, 0)).isEqualTo(3);
    assertThat(from.asSlice(0, 24).toArray(JAVA_LONG))
        .containsExactly(a.address(), a.address(), b.address());
    assertThat(to.asSlice(0, 24).toArray(JAVA_LONG))
        .containsExactly(b.address(), c.address(), c.address());
    MemorySegment roots = arena().allocate(ADDRESS, 2);
    MemorySegment room = arena().allocateFrom(JAVA_LONG, 2);
    ok(cuda_h.cuGraphGetRootNodes(graph, roots, room));
    assertThat(room.get(JAVA_LONG, 0)).isEqualTo(1);
    assertThat(roots.get(ADDRESS, 0)).isEqualTo(a);
    assertThat(roots.getAtIndex(ADDRESS, 1)).isEqualTo(NONE);
  }

  @Test
  void edgesAreAddedAndRemoved() {
    MemorySegment graph = graph();
    MemorySegment a = emptyNode(graph);
    MemorySegment b = emptyNode(graph);
    ok(cuda_h.cuGraphAddDependencies(graph, array(a), array(b), 1));
    assertThat(dependencies(b)).containsExactly(a);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddDependencies(graph, array(a), array(b), 1));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddDependencies(graph, array(a), array(a), 1));
    ok(cuda_h.cuGraphRemoveDependencies(graph, array(a), array(b), 1));
    assertThat(dependencies(b)).isEmpty();
    expect(Result.INVALID_VALUE, cuda_h.cuGraphRemoveDependencies(graph, array(a), array(b), 1));
  }

  @Test
  void dependenciesMustBeDistinctNodesOfTheGraph() {
    MemorySegment graph = graph();
    MemorySegment a = emptyNode(graph);
    MemorySegment alien = emptyNode(graph());
    MemorySegment slot = arena().allocate(8);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddEmptyNode(slot, graph, array(a, a), 2));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddEmptyNode(slot, graph, array(alien), 1));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddEmptyNode(slot, graph, NONE, 1));
    assertThat(nodes(graph)).containsExactly(a);
  }

  @Test
  void removingANodeRemovesItsEdges() {
    MemorySegment graph = graph();
    MemorySegment a = emptyNode(graph);
    MemorySegment b = emptyNode(graph, a);
    MemorySegment c = emptyNode(graph, b);
    ok(cuda_h.cuGraphDestroyNode(b));
    assertThat(nodes(graph)).containsExactly(a, c);
    assertThat(dependencies(c)).isEmpty();
    expect(Result.INVALID_VALUE, cuda_h.cuGraphDestroyNode(b));
  }

  @Test
  void aCycleCannotBeInstantiated() {
    MemorySegment graph = graph();
    MemorySegment a = emptyNode(graph);
    MemorySegment b = emptyNode(graph, a);
    ok(cuda_h.cuGraphAddDependencies(graph, array(b), array(a), 1));
    MemorySegment slot = arena().allocate(8);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphInstantiateWithFlags(slot, graph, 0));
    MemorySegment params = CUDA_GRAPH_INSTANTIATE_PARAMS.allocate(arena());
    expect(Result.INVALID_VALUE, cuda_h.cuGraphInstantiateWithParams(slot, graph, params));
    assertThat(CUDA_GRAPH_INSTANTIATE_PARAMS.result_out(params)).isEqualTo(2);
  }

  @Test
  void aCloneHasItsOwnNodes() {
    MemorySegment graph = graph();
    MemorySegment a = emptyNode(graph);
    MemorySegment b = emptyNode(graph, a);
    MemorySegment clone = out(slot -> cuda_h.cuGraphClone(slot, graph));
    MemorySegment copyOfB = out(slot -> cuda_h.cuGraphNodeFindInClone(slot, b, clone));
    assertThat(nodes(clone)).hasSize(2).doesNotContain(a, b).contains(copyOfB);
    assertThat(dependencies(copyOfB)).hasSize(1);
    ok(cuda_h.cuGraphDestroy(graph));
    assertThat(nodes(clone)).hasSize(2);
  }

  @Test
  void staleAndForeignHandlesAreRefused() {
    MemorySegment graph = graph();
    MemorySegment node = emptyNode(graph);
    ok(cuda_h.cuGraphDestroy(graph));
    MemorySegment slot = arena().allocate(8);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphDestroy(graph));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphNodeGetType(node, slot));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphLaunch(stream(), stream()));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphGetNodes(stream(), NONE, slot));
  }

  @Test
  void aLaunchDoesWhatWasCaptured() {
    MemorySegment stream = stream();
    long buffer = ints(0, 0);
    begin(stream, THREAD_LOCAL);
    fill(buffer, 5, 1, stream);
    ok(cuda_h.cuMemcpyDtoDAsync_v2(buffer + 4, buffer, 4, stream));
    MemorySegment graph = end(stream);
    MemorySegment exec = instantiate(graph);
    ok(cuda_h.cuGraphDestroy(graph));
    ok(cuda_h.cuGraphUpload(exec, stream));
    ok(cuda_h.cuGraphLaunch(exec, stream));
    synchronize(stream);
    assertThat(read(buffer, 2)).containsExactly(5, 5);
  }

  @Test
  void pageableMemoryIsReadAtEachLaunch() {
    MemorySegment stream = stream();
    long buffer = ints(0);
    MemorySegment host = arena().allocateFrom(JAVA_INT, 1);
    begin(stream, THREAD_LOCAL);
    ok(cuda_h.cuMemcpyHtoDAsync_v2(buffer, host, 4, stream));
    MemorySegment exec = instantiate(end(stream));
    for (int value : new int[] {10, 20}) {
      host.set(JAVA_INT, 0, value);
      ok(cuda_h.cuGraphLaunch(exec, stream));
      synchronize(stream);
      assertThat(read(buffer, 1)).containsExactly(value);
    }
  }

  @Test
  void aLaunchIsOrderedInItsStream() {
    MemorySegment stream = stream();
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    begin(stream, THREAD_LOCAL);
    hostFunction(stream, () -> order.add("graph"));
    MemorySegment exec = instantiate(end(stream));
    Gate gate = hold(stream);
    hostFunction(stream, () -> order.add("before"));
    ok(cuda_h.cuGraphLaunch(exec, stream));
    hostFunction(stream, () -> order.add("after"));
    gate.open();
    synchronize(stream);
    assertThat(order).containsExactly("before", "graph", "after");
  }

  @Test
  void launchesOfOneExecFollowEachOtherAcrossStreams() {
    MemorySegment first = stream();
    MemorySegment second = stream();
    long buffer = ints(0);
    begin(first, THREAD_LOCAL);
    fill(buffer, 1, 1, first);
    MemorySegment exec = instantiate(end(first));
    Gate gate = hold(first);
    ok(cuda_h.cuGraphLaunch(exec, first));
    ok(cuda_h.cuGraphLaunch(exec, second));
    expectHeld(second);
    gate.open();
    synchronize(second);
    ok(cuda_h.cuStreamQuery(first));
  }

  @Test
  void anExecMayBeDestroyedInFlight() {
    MemorySegment stream = stream();
    long buffer = ints(0);
    begin(stream, THREAD_LOCAL);
    fill(buffer, 1, 1, stream);
    MemorySegment exec = instantiate(end(stream));
    Gate gate = hold(stream);
    ok(cuda_h.cuGraphLaunch(exec, stream));
    ok(cuda_h.cuGraphExecDestroy(exec));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphLaunch(exec, stream));
    gate.open();
    synchronize(stream);
    assertThat(read(buffer, 1)).containsExactly(1);
  }

  @Test
  void branchesRunAfterWhatTheyDependOn() {
    MemorySegment origin = stream();
    MemorySegment fork = stream();
    MemorySegment event = event();
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    begin(origin, THREAD_LOCAL);
    hostFunction(origin, () -> order.add("root"));
    record(event, origin);
    waitFor(fork, event);
    hostFunction(fork, () -> order.add("branch"));
    hostFunction(origin, () -> order.add("branch"));
    record(event, fork);
    waitFor(origin, event);
    hostFunction(origin, () -> order.add("join"));
    MemorySegment exec = instantiate(end(origin));
    ok(cuda_h.cuGraphLaunch(exec, origin));
    synchronize(origin);
    assertThat(order).containsExactly("root", "branch", "branch", "join");
  }

  @Test
  void aChildGraphRunsInPlaceOfItsNode() {
    MemorySegment stream = stream();
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    begin(stream, THREAD_LOCAL);
    hostFunction(stream, () -> order.add("child"));
    MemorySegment child = end(stream);
    begin(stream, THREAD_LOCAL);
    hostFunction(stream, () -> order.add("first"));
    MemorySegment parent = end(stream);
    MemorySegment first = nodes(parent).get(0);
    MemorySegment node =
        out(slot -> cuda_h.cuGraphAddChildGraphNode(slot, parent, array(first), 1, child));
    MemorySegment embedded = out(slot -> cuda_h.cuGraphChildGraphNodeGetGraph(node, slot));
    assertThat(embedded).isNotEqualTo(child);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphDestroy(embedded));
    ok(cuda_h.cuGraphDestroy(child));
    ok(cuda_h.cuGraphLaunch(instantiate(parent), stream));
    synchronize(stream);
    assertThat(order).containsExactly("first", "child");
  }

  @Test
  void aLaunchInACaptureBecomesAChildGraph() {
    MemorySegment stream = stream();
    long buffer = ints(0);
    begin(stream, THREAD_LOCAL);
    fill(buffer, 3, 1, stream);
    MemorySegment exec = instantiate(end(stream));
    begin(stream, THREAD_LOCAL);
    ok(cuda_h.cuGraphLaunch(exec, stream));
    MemorySegment outer = end(stream);
    assertThat(nodeType(nodes(outer).get(0))).isEqualTo(4);
    ok(cuda_h.cuGraphLaunch(instantiate(outer), stream));
    synchronize(stream);
    assertThat(read(buffer, 1)).containsExactly(3);
  }

  @Test
  void aGraphCanBeWrittenAsDot(@TempDir Path folder) throws IOException {
    MemorySegment graph = graph();
    MemorySegment a = emptyNode(graph);
    MemorySegment b = emptyNode(graph, a);
    Path file = folder.resolve("graph.dot");
    ok(cuda_h.cuGraphDebugDotPrint(graph, arena().allocateFrom(file.toString()), 0));
    assertThat(Files.readString(file))
        .startsWith("digraph")
        .contains("node_%x -> node_%x;".formatted(a.address(), b.address()), "EMPTY\\n");
    MemorySegment nowhere = arena().allocateFrom(folder.resolve("no/such").toString());
    expect(Result.OPERATING_SYSTEM, cuda_h.cuGraphDebugDotPrint(graph, nowhere, 0));
  }

  @Test
  void unknownFlagsAreRefused() {
    MemorySegment slot = arena().allocate(8);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphCreate(slot, 1));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphInstantiateWithFlags(slot, graph(), 16));
    expect(Result.NOT_SUPPORTED, cuda_h.cuGraphInstantiateWithFlags(slot, graph(), 4));
    MemorySegment exec = out(e -> cuda_h.cuGraphInstantiateWithFlags(e, graph(), 8));
    assertThat(outLong(flags -> cuda_h.cuGraphExecGetFlags(exec, flags))).isEqualTo(8);
  }
}
