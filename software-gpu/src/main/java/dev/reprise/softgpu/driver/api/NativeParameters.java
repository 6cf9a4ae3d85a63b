package dev.reprise.softgpu.driver.api;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.engine.KernelCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * The parameters of a kernel node as an array of pointers, which a caller may read while the node
 * lives and keeps its parameters.
 */
final class NativeParameters {

  private static final int ALIGNMENT = 16;
  private static final Map<Node, MemorySegment> GIVEN_OUT = new WeakHashMap<>();

  private NativeParameters() {}

  /** Writes the parameters of a node; null where the kernel has none. */
  static MemorySegment of(Node node, KernelLaunch launch) {
    KernelCode code = launch.function().code();
    if (code.parameterCount() == 0) {
      return MemorySegment.NULL;
    }
    byte[] values = launch.request().parameters();
    long pointers = ADDRESS.byteSize() * code.parameterCount();
    long start = (pointers + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    MemorySegment block = Arena.ofAuto().allocate(start + values.length, ALIGNMENT);
    MemorySegment.copy(values, 0, block, JAVA_BYTE, start, values.length);
    for (int i = 0; i < code.parameterCount(); i++) {
      block.setAtIndex(ADDRESS, i, block.asSlice(start + code.parameterOffset(i)));
    }
    synchronized (GIVEN_OUT) {
      GIVEN_OUT.put(node, block);
    }
    return block;
  }
}
