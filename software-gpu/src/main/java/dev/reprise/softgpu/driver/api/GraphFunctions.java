package dev.reprise.softgpu.driver.api;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.graph.DotWriter;
import dev.reprise.softgpu.driver.graph.Edge;
import dev.reprise.softgpu.driver.graph.EdgeKind;
import dev.reprise.softgpu.driver.graph.Graph;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.HostMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Graphs: their nodes, edges, copies and end. */
final class GraphFunctions extends Functions {

  GraphFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuGraphCreate(MemorySegment phGraph, int flags) {
    gpu().device();
    CallerMemory.required(phGraph, "phGraph");
    if (flags != 0) {
      throw CudaFailure.invalidValue("graph flags " + flags + "; they must be 0");
    }
    Graph graph = handles().publish(new Graph(handles()));
    CallerMemory.writeLong(phGraph, "phGraph", graph.handle());
    return SUCCESS;
  }

  int cuGraphDestroy(MemorySegment hGraph) {
    Graph graph = graph(hGraph);
    if (graph.embedded()) {
      throw CudaFailure.invalidValue(graph + " belongs to a node and goes with it");
    }
    if (captures().isWriting(graph)) {
      throw CudaFailure.invalidValue(graph + " is being captured");
    }
    graph.destroy();
    return SUCCESS;
  }

  int cuGraphClone(MemorySegment phGraphClone, MemorySegment originalGraph) {
    Graph graph = graph(originalGraph);
    CallerMemory.required(phGraphClone, "phGraphClone");
    CallerMemory.writeLong(phGraphClone, "phGraphClone", handles().publish(graph.copy()).handle());
    return SUCCESS;
  }

  int cuGraphNodeFindInClone(
      MemorySegment phNode, MemorySegment hOriginalNode, MemorySegment hClonedGraph) {
    Node original = node(hOriginalNode, "hOriginalNode");
    Graph clone = graph(hClonedGraph);
    CallerMemory.required(phNode, "phNode");
    Node found =
        clone.nodes().stream()
            .filter(node -> node.original() == original)
            .findFirst()
            .orElseThrow(() -> CudaFailure.invalidValue(clone + " holds no copy of " + original));
    CallerMemory.writeLong(phNode, "phNode", found.handle());
    return SUCCESS;
  }

  int cuGraphGetNodes(MemorySegment hGraph, MemorySegment nodes, MemorySegment count) {
    NodeArguments.writeNodes(List.copyOf(graph(hGraph).nodes()), nodes, count, "numNodes");
    return SUCCESS;
  }

  int cuGraphGetRootNodes(MemorySegment hGraph, MemorySegment nodes, MemorySegment count) {
    NodeArguments.writeNodes(graph(hGraph).roots(), nodes, count, "numRootNodes");
    return SUCCESS;
  }

  int cuGraphGetEdges(
      MemorySegment hGraph, MemorySegment from, MemorySegment to, MemorySegment count) {
    return edges(hGraph, from, to, MemorySegment.NULL, count);
  }

  int cuGraphGetEdges_v2(
      MemorySegment hGraph,
      MemorySegment from,
      MemorySegment to,
      MemorySegment edgeData,
      MemorySegment count) {
    return edges(hGraph, from, to, edgeData, count);
  }

  private int edges(
      MemorySegment hGraph,
      MemorySegment from,
      MemorySegment to,
      MemorySegment edgeData,
      MemorySegment count) {
    List<Edge> edges = graph(hGraph).edges();
    if (CallerMemory.isNull(from) != CallerMemory.isNull(to)) {
      throw CudaFailure.invalidValue("from and to are either both null or both not");
    }
    long room = CallerMemory.readLong(CallerMemory.required(count, "numEdges"));
    if (!CallerMemory.isNull(from)) {
      NodeArguments.writeEdgeData(edges, edgeData, Math.min(room, edges.size()));
    }
    NodeArguments.writeNodes(edges.stream().map(Edge::to).toList(), to, count, "numEdges");
    if (!CallerMemory.isNull(from)) {
      HostMemory.ALL.set(JAVA_LONG_UNALIGNED, count.address(), room);
      NodeArguments.writeNodes(edges.stream().map(Edge::from).toList(), from, count, "numEdges");
    }
    return SUCCESS;
  }

  int cuGraphNodeGetDependencies(
      MemorySegment hNode, MemorySegment dependencies, MemorySegment count) {
    return cuGraphNodeGetDependencies_v2(hNode, dependencies, MemorySegment.NULL, count);
  }

  int cuGraphNodeGetDependencies_v2(
      MemorySegment hNode,
      MemorySegment dependencies,
      MemorySegment edgeData,
      MemorySegment count) {
    List<Edge> edges = Graph.edgesTo(node(hNode, "hNode"));
    return ends(edges, Edge::from, dependencies, edgeData, count);
  }

  int cuGraphNodeGetDependentNodes(
      MemorySegment hNode, MemorySegment dependents, MemorySegment count) {
    return cuGraphNodeGetDependentNodes_v2(hNode, dependents, MemorySegment.NULL, count);
  }

  int cuGraphNodeGetDependentNodes_v2(
      MemorySegment hNode, MemorySegment dependents, MemorySegment edgeData, MemorySegment count) {
    List<Edge> edges = Graph.edgesFrom(node(hNode, "hNode"));
    return ends(edges, Edge::to, dependents, edgeData, count);
  }

  private static int ends(
      List<Edge> edges,
      Function<Edge, Node> end,
      MemorySegment array,
      MemorySegment edgeData,
      MemorySegment count) {
    if (!CallerMemory.isNull(array)) {
      long room = CallerMemory.readLong(CallerMemory.required(count, "count"));
      NodeArguments.writeEdgeData(edges, edgeData, Math.min(room, edges.size()));
    }
    NodeArguments.writeNodes(edges.stream().map(end).toList(), array, count, "count");
    return SUCCESS;
  }

  int cuGraphAddDependencies(
      MemorySegment hGraph, MemorySegment from, MemorySegment to, long count) {
    return addEdges(hGraph, from, to, MemorySegment.NULL, count);
  }

  int cuGraphAddDependencies_v2(
      MemorySegment hGraph,
      MemorySegment from,
      MemorySegment to,
      MemorySegment edgeData,
      long count) {
    return addEdges(hGraph, from, to, edgeData, count);
  }

  private int addEdges(
      MemorySegment hGraph,
      MemorySegment from,
      MemorySegment to,
      MemorySegment edgeData,
      long count) {
    Graph graph = graph(hGraph);
    readEdges(from, to, edgeData, count).forEach(graph::addEdge);
    return SUCCESS;
  }

  int cuGraphRemoveDependencies(
      MemorySegment hGraph, MemorySegment from, MemorySegment to, long count) {
    return removeEdges(hGraph, from, to, MemorySegment.NULL, count);
  }

  int cuGraphRemoveDependencies_v2(
      MemorySegment hGraph,
      MemorySegment from,
      MemorySegment to,
      MemorySegment edgeData,
      long count) {
    return removeEdges(hGraph, from, to, edgeData, count);
  }

  private int removeEdges(
      MemorySegment hGraph,
      MemorySegment from,
      MemorySegment to,
      MemorySegment edgeData,
      long count) {
    Graph graph = graph(hGraph);
    readEdges(from, to, edgeData, count).forEach(graph::removeEdge);
    return SUCCESS;
  }

  private List<Edge> readEdges(
      MemorySegment from, MemorySegment to, MemorySegment edgeData, long count) {
    List<Node> sources = NodeArguments.nodes(handles(), from, count, "from");
    List<Node> targets = NodeArguments.nodes(handles(), to, count, "to");
    List<EdgeKind> kinds = NodeArguments.edgeKinds(edgeData, count);
    List<Edge> edges = new ArrayList<>(sources.size());
    for (int i = 0; i < sources.size(); i++) {
      edges.add(new Edge(sources.get(i), targets.get(i), kinds.get(i)));
    }
    return edges;
  }

  int cuGraphDestroyNode(MemorySegment hNode) {
    Node node = node(hNode, "hNode");
    if (captures().isWriting(node.graph())) {
      throw CudaFailure.invalidValue(node + " is in a graph that is being captured");
    }
    node.graph().remove(node);
    return SUCCESS;
  }

  int cuGraphNodeGetType(MemorySegment hNode, MemorySegment type) {
    CallerMemory.writeInt(type, "type", node(hNode, "hNode").type().code());
    return SUCCESS;
  }

  int cuGraphDebugDotPrint(MemorySegment hGraph, MemorySegment path, int flags) {
    Graph graph = graph(hGraph);
    String name = CallerMemory.readString(path, "path");
    try {
      Files.writeString(Path.of(name), DotWriter.write(graph));
    } catch (IOException e) {
      throw new CudaFailure(
          Result.OPERATING_SYSTEM, "cannot write " + name + ": " + e.getMessage());
    }
    return SUCCESS;
  }

  private Graph graph(MemorySegment handle) {
    return GraphHandles.graph(this, handle, "hGraph");
  }

  private Node node(MemorySegment handle, String argument) {
    return GraphHandles.node(this, handle, argument);
  }
}
