package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.MissingEntryPointException;
import dev.reprise.bindings.cuda.CUDA_HOST_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_KERNEL_NODE_PARAMS_v2;
import dev.reprise.bindings.cuda.CUDA_MEMCPY3D;
import dev.reprise.bindings.cuda.CUDA_MEMSET_NODE_PARAMS;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Checked calls of CUDA Driver API, "Graph Management", about single nodes. The functions of CUDA
 * 12.0 are used, which later drivers have as well.
 */
final class GraphNodeCalls {

  private static final long MAX_NAME = 4096;

  private GraphNodeCalls() {}

  /** Puts a node into a graph. */
  interface Adder {
    /** Makes the driver call, whose first out-parameter is the node. */
    MemorySegment add(MemorySegment graph, MemorySegment dependencies, long count);
  }

  private static void check(int code, String function, Object... arguments) {
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, function, arguments);
    }
  }

  /** Lays handles out as an array. */
  static MemorySegment array(Arena arena, List<? extends GraphNode> nodes) {
    if (nodes.isEmpty()) {
      return MemorySegment.NULL;
    }
    MemorySegment array = arena.allocate(nodes.size() * (long) Long.BYTES, Long.BYTES);
    for (int i = 0; i < nodes.size(); i++) {
      array.setAtIndex(JAVA_LONG, i, nodes.get(i).value().address());
    }
    return array;
  }

  static MemorySegment addKernel(
      Context context, PreparedLaunch launch, MemorySegment graph, MemorySegment deps, long count) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = kernel(arena, launch);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code = cuda_h.cuGraphAddKernelNode_v2(scratch.first, graph, deps, count, params);
      check(
          code,
          "cuGraphAddKernelNode_v2",
          "kernel",
          launch.kernel().name(),
          "config",
          launch.config());
      return withAttributes(context, scratch.firstHandle(), launch.attributes());
    }
  }

  private static MemorySegment withAttributes(
      Context context, MemorySegment node, LaunchAttributes attributes) {
    if (attributes.equals(LaunchAttributes.NONE)) {
      return node;
    }
    try {
      KernelAttributeCalls.set(context, node, attributes);
      return node;
    } catch (RuntimeException e) {
      try {
        destroy(context, node);
      } catch (RuntimeException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  static MemorySegment kernel(Arena arena, PreparedLaunch launch) {
    KernelAttributeCalls.check(launch);
    MemorySegment p = arena.allocate(CUDA_KERNEL_NODE_PARAMS_v2.layout());
    LaunchConfig config = launch.config();
    CUDA_KERNEL_NODE_PARAMS_v2.func(p, launch.kernel().function());
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimX(p, config.gridX());
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimY(p, config.gridY());
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimZ(p, config.gridZ());
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimX(p, config.blockX());
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimY(p, config.blockY());
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimZ(p, config.blockZ());
    CUDA_KERNEL_NODE_PARAMS_v2.sharedMemBytes(p, config.dynamicSharedBytes());
    CUDA_KERNEL_NODE_PARAMS_v2.kernelParams(p, launch.pointers());
    return p;
  }

  static void setKernel(Context context, MemorySegment node, PreparedLaunch launch) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = kernel(arena, launch);
      LaunchAttributes before = KernelAttributeCalls.get(context, node);
      MemorySegment old = kernelParameters(context, arena, node);
      // The old launch without attributes that the new one lacks fits any grid, and so does the new
      // one before it gets its own.
      KernelAttributeCalls.set(context, node, LaunchAttributes.NONE);
      try {
        context.makeCurrent();
        int code = cuda_h.cuGraphKernelNodeSetParams_v2(node, params);
        check(code, "cuGraphKernelNodeSetParams_v2", "kernel", launch.kernel().name());
        KernelAttributeCalls.set(context, node, launch.attributes());
      } catch (RuntimeException e) {
        restore(context, node, old, before, e);
        throw e;
      }
    }
  }

  private static void restore(
      Context context,
      MemorySegment node,
      MemorySegment params,
      LaunchAttributes attributes,
      RuntimeException cause) {
    try {
      KernelAttributeCalls.set(context, node, LaunchAttributes.NONE);
      context.makeCurrent();
      check(cuda_h.cuGraphKernelNodeSetParams_v2(node, params), "cuGraphKernelNodeSetParams_v2");
      KernelAttributeCalls.set(context, node, attributes);
    } catch (RuntimeException second) {
      cause.addSuppressed(second);
    }
  }

  private static MemorySegment kernelParameters(Context context, Arena arena, MemorySegment node) {
    MemorySegment p = arena.allocate(CUDA_KERNEL_NODE_PARAMS_v2.layout());
    context.makeCurrent();
    check(cuda_h.cuGraphKernelNodeGetParams_v2(node, p), "cuGraphKernelNodeGetParams_v2");
    return p;
  }

  static LaunchConfig kernelConfig(Context context, MemorySegment node) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment p = kernelParameters(context, arena, node);
      return new LaunchConfig(
          CUDA_KERNEL_NODE_PARAMS_v2.gridDimX(p),
          CUDA_KERNEL_NODE_PARAMS_v2.gridDimY(p),
          CUDA_KERNEL_NODE_PARAMS_v2.gridDimZ(p),
          CUDA_KERNEL_NODE_PARAMS_v2.blockDimX(p),
          CUDA_KERNEL_NODE_PARAMS_v2.blockDimY(p),
          CUDA_KERNEL_NODE_PARAMS_v2.blockDimZ(p),
          CUDA_KERNEL_NODE_PARAMS_v2.sharedMemBytes(p));
    }
  }

  /** Empty where the driver does not tell the parameters of kernels: its list has no end. */
  static OptionalInt kernelArgument(Context context, MemorySegment node, int index) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment p = kernelParameters(context, arena, node);
      Optional<List<ModuleCalls.Parameter>> parameters =
          ModuleCalls.parameters(context, "of a node", CUDA_KERNEL_NODE_PARAMS_v2.func(p));
      if (parameters.isEmpty()) {
        return OptionalInt.empty();
      }
      checkParameter(parameters.get(), index);
      MemorySegment pointers = CUDA_KERNEL_NODE_PARAMS_v2.kernelParams(p);
      if (pointers.address() == 0) {
        throw new IllegalStateException(
            "The driver lists no arguments of this kernel node: they were given in one buffer.");
      }
      MemorySegment value =
          pointers.reinterpret((index + 1L) * Long.BYTES).getAtIndex(ADDRESS, index);
      return OptionalInt.of(value.reinterpret(Integer.BYTES).get(JAVA_INT, 0));
    }
  }

  private static void checkParameter(List<ModuleCalls.Parameter> parameters, int index) {
    if (index < 0 || index >= parameters.size() || parameters.get(index).size() != Integer.BYTES) {
      throw new IllegalArgumentException(
          "Argument %d is no number of 4 bytes; the sizes of the kernel's arguments are %s."
              .formatted(index, parameters.stream().map(ModuleCalls.Parameter::size).toList()));
    }
  }

  static Optional<String> kernelName(Context context, MemorySegment node) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment p = kernelParameters(context, arena, node);
      MemorySegment function = CUDA_KERNEL_NODE_PARAMS_v2.func(p);
      Scratch scratch = Scratch.get();
      int code;
      try {
        context.makeCurrent();
        code = cuda_h.cuFuncGetName(scratch.first, function);
      } catch (MissingEntryPointException e) {
        // The only way to learn the name.
        return Optional.empty();
      }
      check(code, "cuFuncGetName");
      return Optional.of(
          MemorySegment.ofAddress(scratch.firstLong()).reinterpret(MAX_NAME).getString(0));
    }
  }

  static MemorySegment addCopy(
      Context context, CopyOperation copy, MemorySegment graph, MemorySegment deps, long count) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = copy(arena, copy);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code =
          cuda_h.cuGraphAddMemcpyNode(scratch.first, graph, deps, count, params, context.handle());
      check(code, "cuGraphAddMemcpyNode", "copy", copy);
      return scratch.firstHandle();
    }
  }

  static MemorySegment copy(Arena arena, CopyOperation copy) {
    MemorySegment p = arena.allocate(CUDA_MEMCPY3D.layout());
    if (copy.fromHost()) {
      CUDA_MEMCPY3D.srcMemoryType(p, cuda_h.CU_MEMORYTYPE_HOST());
      CUDA_MEMCPY3D.srcHost(p, MemorySegment.ofAddress(copy.sourceAddress()));
    } else {
      CUDA_MEMCPY3D.srcMemoryType(p, cuda_h.CU_MEMORYTYPE_DEVICE());
      CUDA_MEMCPY3D.srcDevice(p, copy.sourceAddress());
    }
    if (copy.toHost()) {
      CUDA_MEMCPY3D.dstMemoryType(p, cuda_h.CU_MEMORYTYPE_HOST());
      CUDA_MEMCPY3D.dstHost(p, MemorySegment.ofAddress(copy.targetAddress()));
    } else {
      CUDA_MEMCPY3D.dstMemoryType(p, cuda_h.CU_MEMORYTYPE_DEVICE());
      CUDA_MEMCPY3D.dstDevice(p, copy.targetAddress());
    }
    CUDA_MEMCPY3D.srcPitch(p, copy.bytes());
    CUDA_MEMCPY3D.srcHeight(p, 1);
    CUDA_MEMCPY3D.dstPitch(p, copy.bytes());
    CUDA_MEMCPY3D.dstHeight(p, 1);
    CUDA_MEMCPY3D.WidthInBytes(p, copy.bytes());
    CUDA_MEMCPY3D.Height(p, 1);
    CUDA_MEMCPY3D.Depth(p, 1);
    return p;
  }

  static void setCopy(Context context, MemorySegment node, CopyOperation copy) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = copy(arena, copy);
      context.makeCurrent();
      check(
          cuda_h.cuGraphMemcpyNodeSetParams(node, params),
          "cuGraphMemcpyNodeSetParams",
          "copy",
          copy);
    }
  }

  static long copyBytes(Context context, MemorySegment node) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment p = arena.allocate(CUDA_MEMCPY3D.layout());
      context.makeCurrent();
      check(cuda_h.cuGraphMemcpyNodeGetParams(node, p), "cuGraphMemcpyNodeGetParams");
      return CUDA_MEMCPY3D.WidthInBytes(p) * CUDA_MEMCPY3D.Height(p) * CUDA_MEMCPY3D.Depth(p);
    }
  }

  static MemorySegment addFill(
      Context context, FillOperation fill, MemorySegment graph, MemorySegment deps, long count) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = fill(arena, fill);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code =
          cuda_h.cuGraphAddMemsetNode(scratch.first, graph, deps, count, params, context.handle());
      check(code, "cuGraphAddMemsetNode", "fill", fill);
      return scratch.firstHandle();
    }
  }

  static MemorySegment fill(Arena arena, FillOperation fill) {
    MemorySegment p = arena.allocate(CUDA_MEMSET_NODE_PARAMS.layout());
    CUDA_MEMSET_NODE_PARAMS.dst(p, fill.address());
    CUDA_MEMSET_NODE_PARAMS.pitch(p, 0);
    CUDA_MEMSET_NODE_PARAMS.value(p, fill.value());
    CUDA_MEMSET_NODE_PARAMS.elementSize(p, fill.elementBytes());
    CUDA_MEMSET_NODE_PARAMS.width(p, fill.count());
    CUDA_MEMSET_NODE_PARAMS.height(p, 1);
    return p;
  }

  static void setFill(Context context, MemorySegment node, FillOperation fill) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = fill(arena, fill);
      context.makeCurrent();
      check(
          cuda_h.cuGraphMemsetNodeSetParams(node, params),
          "cuGraphMemsetNodeSetParams",
          "fill",
          fill);
    }
  }

  static FillNode.Parameters fillParameters(Context context, MemorySegment node) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment p = arena.allocate(CUDA_MEMSET_NODE_PARAMS.layout());
      context.makeCurrent();
      check(cuda_h.cuGraphMemsetNodeGetParams(node, p), "cuGraphMemsetNodeGetParams");
      return new FillNode.Parameters(
          CUDA_MEMSET_NODE_PARAMS.dst(p),
          CUDA_MEMSET_NODE_PARAMS.width(p) * CUDA_MEMSET_NODE_PARAMS.height(p),
          CUDA_MEMSET_NODE_PARAMS.value(p),
          CUDA_MEMSET_NODE_PARAMS.elementSize(p));
    }
  }

  static MemorySegment addHost(
      Context context,
      HostFunctionHandle function,
      MemorySegment graph,
      MemorySegment deps,
      long count) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = host(arena, function);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code = cuda_h.cuGraphAddHostNode(scratch.first, graph, deps, count, params);
      check(code, "cuGraphAddHostNode", "function", function.label());
      return scratch.firstHandle();
    }
  }

  static MemorySegment host(Arena arena, HostFunctionHandle function) {
    MemorySegment p = arena.allocate(CUDA_HOST_NODE_PARAMS.layout());
    CUDA_HOST_NODE_PARAMS.fn(p, HostFunctions.STUB);
    CUDA_HOST_NODE_PARAMS.userData(p, function.userData());
    return p;
  }

  static void setHost(Context context, MemorySegment node, HostFunctionHandle function) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = host(arena, function);
      context.makeCurrent();
      check(
          cuda_h.cuGraphHostNodeSetParams(node, params),
          "cuGraphHostNodeSetParams",
          "function",
          function.label());
    }
  }

  static Optional<HostFunction> hostFunction(Context context, MemorySegment node) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment p = arena.allocate(CUDA_HOST_NODE_PARAMS.layout());
      context.makeCurrent();
      check(cuda_h.cuGraphHostNodeGetParams(node, p), "cuGraphHostNodeGetParams");
      if (CUDA_HOST_NODE_PARAMS.fn(p).address() != HostFunctions.STUB.address()) {
        return Optional.empty();
      }
      return Optional.ofNullable(HostFunctions.find(CUDA_HOST_NODE_PARAMS.userData(p).address()))
          .map(HostFunctionHandle::function);
    }
  }

  static MemorySegment addEmpty(
      Context context, MemorySegment graph, MemorySegment deps, long count) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    check(cuda_h.cuGraphAddEmptyNode(scratch.first, graph, deps, count), "cuGraphAddEmptyNode");
    return scratch.firstHandle();
  }

  static MemorySegment addChild(
      Context context, GraphHandle child, MemorySegment graph, MemorySegment deps, long count) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuGraphAddChildGraphNode(scratch.first, graph, deps, count, child.value());
    check(code, "cuGraphAddChildGraphNode", "child", child.label());
    return scratch.firstHandle();
  }

  static MemorySegment addEventRecord(
      Context context, EventHandle event, MemorySegment graph, MemorySegment deps, long count) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuGraphAddEventRecordNode(scratch.first, graph, deps, count, event.value());
    check(code, "cuGraphAddEventRecordNode", "event", event.label());
    return scratch.firstHandle();
  }

  static MemorySegment addEventWait(
      Context context, EventHandle event, MemorySegment graph, MemorySegment deps, long count) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuGraphAddEventWaitNode(scratch.first, graph, deps, count, event.value());
    check(code, "cuGraphAddEventWaitNode", "event", event.label());
    return scratch.firstHandle();
  }

  static void setEventRecord(Context context, MemorySegment node, EventHandle event) {
    context.makeCurrent();
    check(
        cuda_h.cuGraphEventRecordNodeSetEvent(node, event.value()),
        "cuGraphEventRecordNodeSetEvent",
        "event",
        event.label());
  }

  static void setEventWait(Context context, MemorySegment node, EventHandle event) {
    context.makeCurrent();
    check(
        cuda_h.cuGraphEventWaitNodeSetEvent(node, event.value()),
        "cuGraphEventWaitNodeSetEvent",
        "event",
        event.label());
  }

  static void destroy(Context context, MemorySegment node) {
    context.makeCurrent();
    check(cuda_h.cuGraphDestroyNode(node), "cuGraphDestroyNode");
  }

  static GraphNodeType type(Context context, MemorySegment node) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    check(cuda_h.cuGraphNodeGetType(node, scratch.first), "cuGraphNodeGetType");
    return GraphNodeType.of(scratch.firstInt());
  }

  /** A driver function that lists nodes of something. */
  private interface Listing {
    int list(MemorySegment array, MemorySegment count);
  }

  private static List<MemorySegment> list(Context context, String function, Listing listing) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_LONG);
      context.makeCurrent();
      check(listing.list(MemorySegment.NULL, count), function);
      int nodes = Math.toIntExact(count.get(JAVA_LONG, 0));
      if (nodes == 0) {
        return List.of();
      }
      MemorySegment array = arena.allocate(JAVA_LONG, nodes);
      context.makeCurrent();
      check(listing.list(array, count), function);
      List<MemorySegment> list = new ArrayList<>(nodes);
      for (int i = 0; i < nodes; i++) {
        list.add(MemorySegment.ofAddress(array.getAtIndex(JAVA_LONG, i)));
      }
      return list;
    }
  }

  static List<MemorySegment> nodes(Context context, MemorySegment graph) {
    return list(
        context, "cuGraphGetNodes", (array, count) -> cuda_h.cuGraphGetNodes(graph, array, count));
  }

  static List<MemorySegment> childNodes(Context context, MemorySegment node) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    check(
        cuda_h.cuGraphChildGraphNodeGetGraph(node, scratch.first), "cuGraphChildGraphNodeGetGraph");
    return nodes(context, scratch.firstHandle());
  }
}
