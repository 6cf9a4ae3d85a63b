package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.reprise.bindings.cuda.CUlaunchAttributeValue;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.OptionalInt;

/** Checked calls about the attributes of kernel nodes (CUDA Driver API, "Graph Management"). */
final class KernelAttributeCalls {

  private KernelAttributeCalls() {}

  /** Refuses what a launch in a stream can ask for and a node cannot. */
  static void check(PreparedLaunch launch) {
    if (launch.attributes().programmaticSerialization()) {
      throw new IllegalArgumentException(
          "Kernel %s: programmatic serialization is about the launch before in a stream; between nodes it is an edge of kind PROGRAMMATIC."
              .formatted(launch.kernel().name()));
    }
  }

  /** Gives a node the attributes of a launch; those that it does not name go back to nothing. */
  static void set(Context context, MemorySegment node, LaunchAttributes to) {
    LaunchAttributes from = get(context, node);
    if (from.cooperative() != to.cooperative()) {
      set(context, node, cuda_h.CU_LAUNCH_ATTRIBUTE_COOPERATIVE(), to.cooperative() ? 1 : 0);
    }
    if (from.clusterX() != to.clusterX()
        || from.clusterY() != to.clusterY()
        || from.clusterZ() != to.clusterZ()) {
      // A cluster of one block is none.
      set(
          context,
          node,
          cuda_h.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION(),
          Math.max(1, to.clusterX()),
          Math.max(1, to.clusterY()),
          Math.max(1, to.clusterZ()));
    }
    if (!from.priority().equals(to.priority())) {
      set(context, node, cuda_h.CU_LAUNCH_ATTRIBUTE_PRIORITY(), to.priority().orElse(0));
    }
  }

  private static void set(Context context, MemorySegment node, int id, int... numbers) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = CUlaunchAttributeValue.allocate(arena).fill((byte) 0);
      MemorySegment.copy(numbers, 0, value, JAVA_INT, 0, numbers.length);
      context.makeCurrent();
      int code = cuda_h.cuGraphKernelNodeSetAttribute(node, id, value);
      if (code != Failures.SUCCESS) {
        throw Failures.of(
            code, "cuGraphKernelNodeSetAttribute", "attribute", id, "value", numbers[0]);
      }
    }
  }

  /** The attributes of a node. A priority of 0 is that of a launch without one. */
  static LaunchAttributes get(Context context, MemorySegment node) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment cooperative =
          get(context, arena, node, cuda_h.CU_LAUNCH_ATTRIBUTE_COOPERATIVE());
      MemorySegment cluster =
          get(context, arena, node, cuda_h.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION());
      int priority =
          get(context, arena, node, cuda_h.CU_LAUNCH_ATTRIBUTE_PRIORITY()).get(JAVA_INT, 0);
      int x = cluster.getAtIndex(JAVA_INT, 0);
      int y = cluster.getAtIndex(JAVA_INT, 1);
      int z = cluster.getAtIndex(JAVA_INT, 2);
      boolean one = x <= 1 && y <= 1 && z <= 1;
      return new LaunchAttributes(
          cooperative.get(JAVA_INT, 0) != 0,
          one ? 0 : x,
          one ? 0 : y,
          one ? 0 : z,
          priority == 0 ? OptionalInt.empty() : OptionalInt.of(priority),
          false);
    }
  }

  private static MemorySegment get(Context context, Arena arena, MemorySegment node, int id) {
    MemorySegment value = CUlaunchAttributeValue.allocate(arena).fill((byte) 0);
    context.makeCurrent();
    int code = cuda_h.cuGraphKernelNodeGetAttribute(node, id, value);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphKernelNodeGetAttribute", "attribute", id);
    }
    return value;
  }
}
