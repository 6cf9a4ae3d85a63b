package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUgraphEdgeData;
import dev.reprise.bindings.cuda.CUgraphExecUpdateResultInfo;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ports and types of edges. */
class EdgeDataTest extends ConditionalGraphs {

  private MemorySegment data(int fromPort, int toPort, int type) {
    MemorySegment data = CUgraphEdgeData.allocate(arena());
    CUgraphEdgeData.from_port(data, (byte) fromPort);
    CUgraphEdgeData.to_port(data, (byte) toPort);
    CUgraphEdgeData.type(data, (byte) type);
    return data;
  }

  private MemorySegment kernelNode(MemorySegment graph) {
    return kernelNode(graph, NONE, "add", ints(0), 1);
  }

  private MemorySegment emptyNode(MemorySegment graph) {
    return out(slot -> cuda_h.cuGraphAddEmptyNode(slot, graph, NONE, 0));
  }

  private int tryEdge(
      MemorySegment graph, MemorySegment from, MemorySegment to, MemorySegment data) {
    return cuda_h.cuGraphAddDependencies_v2(graph, array(from), array(to), data, 1);
  }

  private void expectEdge(MemorySegment graph, int fromPort, int type) {
    MemorySegment from = arena().allocate(ADDRESS);
    MemorySegment to = arena().allocate(ADDRESS);
    MemorySegment data = CUgraphEdgeData.allocate(arena()).fill((byte) 9);
    MemorySegment count = arena().allocateFrom(JAVA_LONG, 1);
    ok(cuda_h.cuGraphGetEdges_v2(graph, from, to, data, count));
    assertThat(count.get(JAVA_LONG, 0)).isEqualTo(1);
    assertThat(data.toArray(JAVA_BYTE))
        .containsExactly((byte) fromPort, 0, (byte) type, 0, 0, 0, 0, 0);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 1", "2, 0", "2, 1"})
  void anEdgeKeepsItsPortAndType(int port, int type) {
    MemorySegment graph = graph();
    MemorySegment first = kernelNode(graph);
    MemorySegment second = kernelNode(graph);
    ok(tryEdge(graph, first, second, data(port, 0, type)));
    expectEdge(graph, port, type);
    expectEdge(out(slot -> cuda_h.cuGraphClone(slot, graph)), port, type);
    launch(instantiate(graph));
    if (port != 0) {
      expect(
          Result.INVALID_VALUE,
          cuda_h.cuGraphRemoveDependencies(graph, array(first), array(second), 1));
    }
    ok(
        cuda_h.cuGraphRemoveDependencies_v2(
            graph, array(first), array(second), data(port, 0, type), 1));
    assertThat(dependencies(second)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1, 0, 0", "0, 0, 1", "3, 0, 0", "0, 1, 0", "0, 0, 2", "2, 0, 255"})
  void portsAndTypesThatDoNotGoTogetherAreRefused(int fromPort, int toPort, int type) {
    MemorySegment graph = graph();
    MemorySegment first = kernelNode(graph);
    MemorySegment second = kernelNode(graph);
    expect(Result.INVALID_VALUE, tryEdge(graph, first, second, data(fromPort, toPort, type)));
    MemorySegment reserved = data(0, 0, 0);
    reserved.set(JAVA_BYTE, 7, (byte) 1);
    expect(Result.INVALID_VALUE, tryEdge(graph, first, second, reserved));
    assertThat(dependencies(second)).isEmpty();
  }

  @Test
  void onlyKernelsHavePorts() {
    MemorySegment graph = graph();
    MemorySegment kernel = kernelNode(graph);
    MemorySegment empty = emptyNode(graph);
    expect(Result.INVALID_VALUE, tryEdge(graph, empty, kernel, data(1, 0, 1)));
    expect(Result.INVALID_VALUE, tryEdge(graph, empty, kernel, data(2, 0, 0)));
    expect(Result.INVALID_VALUE, tryEdge(graph, kernel, empty, data(1, 0, 1)));
    ok(tryEdge(graph, kernel, empty, data(2, 0, 0)));
    expectEdge(graph, 2, 0);
  }

  @Test
  void aNodeIsAddedBehindAProgrammaticEdge() {
    MemorySegment graph = graph();
    MemorySegment first = kernelNode(graph);
    MemorySegment params = conditionalParams(handle(graph, 0), IF, 1);
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuGraphAddNode_v2(array(), graph, array(first), data(1, 0, 1), 1, params));
    ok(cuda_h.cuGraphAddNode_v2(array(), graph, array(first), data(2, 0, 0), 1, params));
    expectEdge(graph, 2, 0);
  }

  @Test
  void aQueryThatWouldLoseDataIsRefused() {
    MemorySegment graph = graph();
    MemorySegment first = kernelNode(graph);
    MemorySegment second = kernelNode(graph);
    ok(tryEdge(graph, first, second, data(1, 0, 1)));
    MemorySegment array = array(first);
    MemorySegment count = arena().allocateFrom(JAVA_LONG, 1);
    expect(Result.LOSSY_QUERY, cuda_h.cuGraphGetEdges(graph, array, array(first), count));
    expect(Result.LOSSY_QUERY, cuda_h.cuGraphNodeGetDependencies(second, array, count));
    expect(Result.LOSSY_QUERY, cuda_h.cuGraphNodeGetDependentNodes(first, array, count));
    MemorySegment data = CUgraphEdgeData.allocate(arena());
    ok(cuda_h.cuGraphNodeGetDependencies_v2(second, array, data, count));
    assertThat(CUgraphEdgeData.from_port(data)).isEqualTo((byte) 1);
    ok(cuda_h.cuGraphNodeGetDependentNodes_v2(first, array, data, count));
    assertThat(array.get(ADDRESS, 0)).isEqualTo(second);
    // How many there are is no secret.
    ok(cuda_h.cuGraphNodeGetDependencies(second, NONE, count));
  }

  @Test
  void anUpdateKeepsTheKindsOfEdges() {
    MemorySegment plain = graph();
    ok(tryEdge(plain, kernelNode(plain), kernelNode(plain), data(0, 0, 0)));
    MemorySegment other = graph();
    ok(tryEdge(other, kernelNode(other), kernelNode(other), data(1, 0, 1)));
    MemorySegment info = CUgraphExecUpdateResultInfo.allocate(arena());
    expect(
        Result.GRAPH_EXEC_UPDATE_FAILURE,
        cuda_h.cuGraphExecUpdate_v2(instantiate(plain), other, info));
    assertThat(CUgraphExecUpdateResultInfo.result(info)).isEqualTo(2);
  }
}
