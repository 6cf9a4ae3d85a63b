package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUlaunchAttribute;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.Occupancy;
import dev.reprise.softgpu.driver.operation.KernelAttributes;
import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The attributes of launches and kernel nodes ({@code CUlaunchAttributeID}). */
final class LaunchAttributes {

  private static final int IGNORE = 0;
  private static final int SYNCHRONIZATION_POLICY = 3;

  private LaunchAttributes() {}

  /** Reads a list of attributes of a launch. */
  static KernelAttributes read(MemorySegment attributes, int count) {
    KernelAttributes all = KernelAttributes.NONE;
    if (count == 0) {
      return all;
    }
    long bytes = CUlaunchAttribute.sizeof() * Integer.toUnsignedLong(count);
    MemorySegment array = CallerMemory.struct(attributes, bytes, "attrs");
    for (int i = 0; i < count; i++) {
      MemorySegment attribute = CUlaunchAttribute.asSlice(array, i);
      int id = CUlaunchAttribute.id(attribute);
      long value = attribute.address() + CUlaunchAttribute.value$offset();
      check(id);
      if (id != IGNORE) {
        all = all.with(id, bytes(value));
      }
    }
    return all;
  }

  /** Reads an attribute of a kernel node, checked. */
  static byte[] forNode(int id, MemorySegment value) {
    checkNode(id);
    long address = CallerMemory.required(value, "value");
    check(id);
    return bytes(address);
  }

  /** Refuses an attribute that kernel nodes do not have. */
  static void checkNode(int id) {
    switch (id) {
      case 1, 2, 4, 5, 8, 9, 10, 11, 13, 14, 16 -> {}
      default -> throw CudaFailure.invalidValue("kernel nodes have no attribute " + id);
    }
  }

  /** Reads an attribute of a stream, checked. */
  static byte[] forStream(int id, MemorySegment value) {
    checkStream(id);
    long address = CallerMemory.required(value, "value");
    if (id == KernelAttributes.PRIORITY) {
      int priority = CallerMemory.readInt(address);
      if (priority < StreamFunctions.GREATEST_PRIORITY
          || priority > StreamFunctions.LEAST_PRIORITY) {
        throw CudaFailure.invalidValue("a stream of priority " + priority);
      }
    }
    return bytes(address);
  }

  /** Refuses an attribute that streams do not have. */
  static void checkStream(int id) {
    switch (id) {
      case 1, 3, 8, 9, 10 -> {}
      default -> throw CudaFailure.invalidValue("streams have no attribute " + id);
    }
  }

  /** The attributes of a launch, and of its stream those that launches can have and this lacks. */
  static KernelAttributes withStream(KernelAttributes launch, KernelAttributes stream) {
    KernelAttributes all = launch;
    for (Integer id : stream.values().keySet()) {
      if (id != SYNCHRONIZATION_POLICY && !launch.has(id)) {
        all = all.with(id, stream.value(id));
      }
    }
    return all;
  }

  private static byte[] bytes(long address) {
    byte[] value = new byte[KernelAttributes.BYTES];
    MemorySegment.copy(HostMemory.ALL, ValueLayout.JAVA_BYTE, address, value, 0, value.length);
    return value;
  }

  /**
   * Accepts attributes that are hints, and those that ask for what every launch here gives. A
   * programmatic stream serialization may overlap kernels but need not, and clusters may be the
   * preferred ones but need not.
   */
  private static void check(int id) {
    switch (id) {
      case 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 14, 16 -> {}
      case 7, 12, 13 -> throw CudaFailure.notSupported("launch attribute " + id);
      default -> throw CudaFailure.invalidValue("there is no launch attribute " + id);
    }
  }

  /** Checks a kernel that takes the place of another, whose attributes it gets. */
  static void checkKept(Context context, Operation old, Operation replacement) {
    if (old instanceof KernelLaunch before && replacement instanceof KernelLaunch after) {
      checkCooperative(context, after.with(before.attributes()));
    }
  }

  /**
   * Makes sure that a device could hold all blocks of a cooperative launch at once. Here they need
   * not be: a block that only waits gives way to those that have not begun.
   */
  static KernelLaunch checkCooperative(Context context, KernelLaunch launch) {
    if (!launch.attributes().cooperative()) {
      return launch;
    }
    long blocks = launch.request().grid().count();
    int threads = (int) launch.request().block().count();
    int each =
        Occupancy.blocksPerMultiprocessor(
            launch.function().code(), threads, launch.request().dynamicSharedBytes());
    long room = (long) each * context.device().model().multiprocessors();
    if (blocks > room) {
      throw new CudaFailure(
          Result.COOPERATIVE_LAUNCH_TOO_LARGE,
          "%d blocks of %d threads of %s; %d can be resident at once"
              .formatted(blocks, threads, launch.function().code().name(), room));
    }
    return launch;
  }
}
