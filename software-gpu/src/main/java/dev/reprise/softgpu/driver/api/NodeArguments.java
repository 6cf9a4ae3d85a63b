package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUgraphEdgeData;
import dev.reprise.softgpu.driver.graph.Edge;
import dev.reprise.softgpu.driver.graph.EdgeKind;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Arrays of nodes and edges as callers pass and receive them. */
final class NodeArguments {

  private static final int LARGEST_COUNT = 1 << 24;

  private NodeArguments() {}

  /** Reads an array of node handles; null only where the count is 0, and every one alive. */
  static List<Node> nodes(Handles handles, MemorySegment array, long count, String argument) {
    if (count < 0 || count > LARGEST_COUNT) {
      throw CudaFailure.invalidValue(argument + ": " + Long.toUnsignedString(count) + " nodes");
    }
    List<Node> nodes = new ArrayList<>((int) count);
    if (count > 0) {
      long address = CallerMemory.required(array, argument);
      for (int i = 0; i < count; i++) {
        long handle = CallerMemory.readLong(address + (long) i * Long.BYTES);
        Node node = handles.find(handle, Node.class);
        if (node == null) {
          throw CudaFailure.invalidValue(
              "%s[%d] 0x%x is no live graph node".formatted(argument, i, handle));
        }
        nodes.add(node);
      }
    }
    return nodes;
  }

  /** Refuses edge data that asks for more than a full dependency, where a capture has no other. */
  static void checkEdgeData(MemorySegment edgeData, long count) {
    for (EdgeKind kind : edgeKinds(edgeData, count)) {
      if (!kind.equals(EdgeKind.FULL)) {
        throw CudaFailure.notSupported("a programmatic edge in a capture");
      }
    }
  }

  /** The kinds of edges that a caller passes; without data they are full dependencies. */
  static List<EdgeKind> edgeKinds(MemorySegment edgeData, long count) {
    if (count < 0 || count > LARGEST_COUNT) {
      throw CudaFailure.invalidValue(Long.toUnsignedString(count) + " edges");
    }
    if (CallerMemory.isNull(edgeData) || count == 0) {
      return Collections.nCopies((int) count, EdgeKind.FULL);
    }
    MemorySegment data =
        CallerMemory.struct(edgeData, CUgraphEdgeData.sizeof() * count, "edgeData");
    List<EdgeKind> kinds = new ArrayList<>((int) count);
    for (int i = 0; i < count; i++) {
      MemorySegment edge = CUgraphEdgeData.asSlice(data, i);
      MemorySegment reserved = CUgraphEdgeData.reserved(edge);
      boolean zero = CUgraphEdgeData.to_port(edge) == 0;
      for (long at = 0; at < reserved.byteSize(); at++) {
        zero &= reserved.get(ValueLayout.JAVA_BYTE, at) == 0;
      }
      if (!zero) {
        throw CudaFailure.invalidValue("edgeData[" + i + "]: to_port and reserved must be 0");
      }
      kinds.add(
          new EdgeKind(
              Byte.toUnsignedInt(CUgraphEdgeData.from_port(edge)),
              Byte.toUnsignedInt(CUgraphEdgeData.type(edge))));
    }
    return kinds;
  }

  /**
   * Answers a question for an array: with a null array the count; else at most as many entries as
   * the caller has room for, nulls behind the last, and how many there were.
   */
  static void writeNodes(List<Node> nodes, MemorySegment array, MemorySegment count, String name) {
    long counter = CallerMemory.required(count, name);
    if (!CallerMemory.isNull(array)) {
      long room = CallerMemory.readLong(counter);
      for (long i = 0; i < room; i++) {
        long handle = i < nodes.size() ? nodes.get((int) i).handle() : 0;
        HostMemory.ALL.set(
            ValueLayout.JAVA_LONG_UNALIGNED, array.address() + i * Long.BYTES, handle);
      }
      CallerMemory.writeLong(count, name, Math.min(room, nodes.size()));
    } else {
      CallerMemory.writeLong(count, name, nodes.size());
    }
  }

  /**
   * Writes the data of the first edges. Without a place for it every edge must be a full
   * dependency, else it is {@code CUDA_ERROR_LOSSY_QUERY}.
   */
  static void writeEdgeData(List<Edge> edges, MemorySegment edgeData, long count) {
    if (CallerMemory.isNull(edgeData)) {
      if (edges.stream().anyMatch(edge -> !edge.kind().equals(EdgeKind.FULL))) {
        throw new CudaFailure(
            Result.LOSSY_QUERY, "an edge has a port or a type, and edgeData is null");
      }
      return;
    }
    MemorySegment data =
        CallerMemory.struct(edgeData, CUgraphEdgeData.sizeof() * count, "edgeData");
    data.fill((byte) 0);
    for (int i = 0; i < Math.min(count, edges.size()); i++) {
      MemorySegment out = CUgraphEdgeData.asSlice(data, i);
      CUgraphEdgeData.from_port(out, (byte) edges.get(i).kind().fromPort());
      CUgraphEdgeData.type(out, (byte) edges.get(i).kind().type());
    }
  }
}
