package dev.reprise.cuda;

import dev.reprise.bindings.cuda.CUlaunchAttribute;
import dev.reprise.bindings.cuda.CUlaunchAttributeValue;
import dev.reprise.bindings.cuda.CUlaunchConfig;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The configuration of launches with attributes, as the driver reads it. */
final class LaunchCalls {

  private static final int MOST_ATTRIBUTES = 4;

  private LaunchCalls() {}

  /** The configuration in native memory, but for the stream. */
  static MemorySegment config(Arena arena, LaunchConfig config, LaunchAttributes attributes) {
    MemorySegment c = CUlaunchConfig.allocate(arena).fill((byte) 0);
    CUlaunchConfig.gridDimX(c, config.gridX());
    CUlaunchConfig.gridDimY(c, config.gridY());
    CUlaunchConfig.gridDimZ(c, config.gridZ());
    CUlaunchConfig.blockDimX(c, config.blockX());
    CUlaunchConfig.blockDimY(c, config.blockY());
    CUlaunchConfig.blockDimZ(c, config.blockZ());
    CUlaunchConfig.sharedMemBytes(c, config.dynamicSharedBytes());
    MemorySegment list = CUlaunchAttribute.allocateArray(MOST_ATTRIBUTES, arena).fill((byte) 0);
    int count = 0;
    if (attributes.cooperative()) {
      set(list, count++, cuda_h.CU_LAUNCH_ATTRIBUTE_COOPERATIVE(), 1);
    }
    if (attributes.clusterX() > 0) {
      set(
          list,
          count++,
          cuda_h.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION(),
          attributes.clusterX(),
          attributes.clusterY(),
          attributes.clusterZ());
    }
    if (attributes.priority().isPresent()) {
      set(list, count++, cuda_h.CU_LAUNCH_ATTRIBUTE_PRIORITY(), attributes.priority().getAsInt());
    }
    if (attributes.programmaticSerialization()) {
      set(list, count++, cuda_h.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION(), 1);
    }
    CUlaunchConfig.attrs(c, list);
    CUlaunchConfig.numAttrs(c, count);
    return c;
  }

  private static void set(MemorySegment list, int index, int id, int... numbers) {
    MemorySegment attribute = CUlaunchAttribute.asSlice(list, index);
    CUlaunchAttribute.id(attribute, id);
    // Each of the values used here begins its union as plain ints.
    MemorySegment value = CUlaunchAttribute.value(attribute);
    if (value.byteSize() != CUlaunchAttributeValue.sizeof()) {
      throw new AssertionError("the value has " + value.byteSize() + " bytes");
    }
    MemorySegment.copy(numbers, 0, value, ValueLayout.JAVA_INT, 0, numbers.length);
  }

  static void setStream(MemorySegment config, MemorySegment stream) {
    CUlaunchConfig.hStream(config, stream);
  }
}
