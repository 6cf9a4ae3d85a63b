package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.CUDA_MEM_ALLOC_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUmemAccessDesc;
import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.CUmemPoolProps;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.LongStream;

/** Checked calls of CUDA Driver API about memory nodes of graphs, and the memory they allocate. */
final class GraphMemoryCalls {

  private GraphMemoryCalls() {}

  /**
   * What {@code cuGraphAddMemAllocNode} gives.
   *
   * @param node the node
   * @param address the address that it allocates
   */
  record Allocation(MemorySegment node, long address) {}

  static Allocation addAllocation(
      Context context,
      int device,
      String label,
      long bytes,
      List<Integer> peers,
      MemorySegment graph,
      MemorySegment deps,
      long count) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = CUDA_MEM_ALLOC_NODE_PARAMS.allocate(arena).fill((byte) 0);
      MemorySegment properties = CUDA_MEM_ALLOC_NODE_PARAMS.poolProps(params);
      CUmemPoolProps.allocType(properties, cuda_h.CU_MEM_ALLOCATION_TYPE_PINNED());
      MemorySegment location = CUmemPoolProps.location(properties);
      CUmemLocation.type(location, cuda_h.CU_MEM_LOCATION_TYPE_DEVICE());
      CUmemLocation.id(location, device);
      CUDA_MEM_ALLOC_NODE_PARAMS.bytesize(params, bytes);
      if (!peers.isEmpty()) {
        CUDA_MEM_ALLOC_NODE_PARAMS.accessDescs(params, VirtualMemoryCalls.access(arena, peers));
        CUDA_MEM_ALLOC_NODE_PARAMS.accessDescCount(params, peers.size());
      }
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code = cuda_h.cuGraphAddMemAllocNode(scratch.first, graph, deps, count, params);
      if (code != Failures.SUCCESS) {
        throw Failures.of(
            code, "cuGraphAddMemAllocNode", "label", label, "bytes", bytes, "peers", peers);
      }
      return new Allocation(scratch.firstHandle(), CUDA_MEM_ALLOC_NODE_PARAMS.dptr(params));
    }
  }

  static MemorySegment addFree(
      Context context,
      GraphMemoryHandle memory,
      MemorySegment graph,
      MemorySegment deps,
      long count) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuGraphAddMemFreeNode(scratch.first, graph, deps, count, memory.address());
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphAddMemFreeNode", "buffer", memory.label());
    }
    return scratch.firstHandle();
  }

  static MemoryAllocNode.Parameters allocation(Context context, MemorySegment node) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = CUDA_MEM_ALLOC_NODE_PARAMS.allocate(arena);
      context.makeCurrent();
      int code = cuda_h.cuGraphMemAllocNodeGetParams(node, params);
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuGraphMemAllocNodeGetParams");
      }
      return new MemoryAllocNode.Parameters(
          CUDA_MEM_ALLOC_NODE_PARAMS.dptr(params),
          CUDA_MEM_ALLOC_NODE_PARAMS.bytesize(params),
          peers(params));
    }
  }

  /** The devices that the parameters of a node open its memory to, apart from its own. */
  private static List<Integer> peers(MemorySegment params) {
    int own =
        CUmemLocation.id(CUmemPoolProps.location(CUDA_MEM_ALLOC_NODE_PARAMS.poolProps(params)));
    long count = CUDA_MEM_ALLOC_NODE_PARAMS.accessDescCount(params);
    MemorySegment all =
        CUDA_MEM_ALLOC_NODE_PARAMS
            .accessDescs(params)
            .reinterpret(count * CUmemAccessDesc.sizeof());
    return LongStream.range(0, count)
        .mapToObj(i -> CUmemAccessDesc.asSlice(all, i))
        .filter(one -> CUmemAccessDesc.flags(one) != cuda_h.CU_MEM_ACCESS_FLAGS_PROT_NONE())
        .map(one -> CUmemLocation.id(CUmemAccessDesc.location(one)))
        .filter(device -> device != own)
        .toList();
  }

  static long freedAddress(Context context, MemorySegment node) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuGraphMemFreeNodeGetParams(node, scratch.first);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphMemFreeNodeGetParams");
    }
    return scratch.firstLong();
  }

  /** Whether an exec was instantiated to free its memory at the next launch. */
  static boolean freesOnLaunch(Context context, GraphExecHandle exec) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuGraphExecGetFlags(exec.value(), scratch.first);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphExecGetFlags", "graph", exec.label());
    }
    return (scratch.firstLong() & cuda_h.CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH()) != 0;
  }

  static long usedBytes(Context context, int device) {
    return get(context, device, cuda_h.CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT());
  }

  static long usedHighBytes(Context context, int device) {
    return get(context, device, cuda_h.CU_GRAPH_MEM_ATTR_USED_MEM_HIGH());
  }

  static long reservedBytes(Context context, int device) {
    return get(context, device, cuda_h.CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT());
  }

  static long reservedHighBytes(Context context, int device) {
    return get(context, device, cuda_h.CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH());
  }

  private static long get(Context context, int device, int attribute) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuDeviceGetGraphMemAttribute(device, attribute, scratch.first);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuDeviceGetGraphMemAttribute", "device", device, "attribute", attribute);
    }
    return scratch.firstLong();
  }

  static void resetHighWaterMarks(Context context, int device) {
    reset(context, device, cuda_h.CU_GRAPH_MEM_ATTR_USED_MEM_HIGH());
    reset(context, device, cuda_h.CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH());
  }

  private static void reset(Context context, int device, int attribute) {
    Scratch scratch = Scratch.get();
    scratch.first.set(JAVA_LONG, 0, 0);
    context.makeCurrent();
    int code = cuda_h.cuDeviceSetGraphMemAttribute(device, attribute, scratch.first);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuDeviceSetGraphMemAttribute", "device", device, "attribute", attribute);
    }
  }

  static void trim(Context context, int device) {
    context.makeCurrent();
    int code = cuda_h.cuDeviceGraphMemTrim(device);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuDeviceGraphMemTrim", "device", device);
    }
  }
}
