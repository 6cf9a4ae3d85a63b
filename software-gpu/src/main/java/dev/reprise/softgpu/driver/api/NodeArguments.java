package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUgraphEdgeData;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
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

  /** Refuses edge data that asks for more than a full dependency. */
  static void checkEdgeData(MemorySegment edgeData, long count) {
    if (CallerMemory.isNull(edgeData) || count <= 0) {
      return;
    }
    MemorySegment data =
        CallerMemory.struct(edgeData, CUgraphEdgeData.sizeof() * count, "edgeData");
    for (long i = 0; i < data.byteSize(); i++) {
      if (data.get(ValueLayout.JAVA_BYTE, i) != 0) {
        throw CudaFailure.notSupported("an edge with ports or a type (programmatic launch)");
      }
    }
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

  /** Writes the data of full dependencies, which is all zero. */
  static void writeEdgeData(MemorySegment edgeData, long count) {
    if (!CallerMemory.isNull(edgeData)) {
      CallerMemory.struct(edgeData, CUgraphEdgeData.sizeof() * count, "edgeData").fill((byte) 0);
    }
  }
}
