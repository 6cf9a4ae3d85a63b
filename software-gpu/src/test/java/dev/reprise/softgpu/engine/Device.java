package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.HostMemory;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** A device for tests: memory, an engine and short ways to fill, launch and read. */
final class Device implements AutoCloseable {
  final AddressSpace memory = new AddressSpace(1L << 30);
  final Engine engine;

  Device(int workers) {
    this(workers, Execution.ADAPTIVE);
  }

  Device(int workers, Execution execution) {
    engine = new Engine(memory, workers, execution);
  }

  static String resource(String name) {
    try (InputStream in = Device.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException("no resource " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  LoadedModule loadResource(String name) {
    return load(resource(name));
  }

  LoadedModule load(String ptx) {
    return LoadedModule.load(ptx, memory);
  }

  Allocation allocate(long bytes) {
    return memory.allocate(bytes, 256, "test buffer");
  }

  private static MemorySegment view(Allocation a) {
    return HostMemory.ALL.asSlice(a.host(), a.size());
  }

  Allocation of(float... values) {
    Allocation a = allocate(Math.max(1, values.length * 4L));
    view(a).copyFrom(MemorySegment.ofArray(values));
    return a;
  }

  Allocation of(int... values) {
    Allocation a = allocate(Math.max(1, values.length * 4L));
    view(a).copyFrom(MemorySegment.ofArray(values));
    return a;
  }

  Allocation of(short... values) {
    Allocation a = allocate(Math.max(1, values.length * 2L));
    view(a).copyFrom(MemorySegment.ofArray(values));
    return a;
  }

  Allocation of(long... values) {
    Allocation a = allocate(Math.max(1, values.length * 8L));
    view(a).copyFrom(MemorySegment.ofArray(values));
    return a;
  }

  Allocation of(double... values) {
    Allocation a = allocate(Math.max(1, values.length * 8L));
    view(a).copyFrom(MemorySegment.ofArray(values));
    return a;
  }

  static float[] floats(Allocation a) {
    return view(a).toArray(ValueLayout.JAVA_FLOAT);
  }

  static int[] ints(Allocation a) {
    return view(a).toArray(ValueLayout.JAVA_INT);
  }

  static short[] shorts(Allocation a) {
    return view(a).toArray(ValueLayout.JAVA_SHORT);
  }

  static long[] longs(Allocation a) {
    return view(a).toArray(ValueLayout.JAVA_LONG);
  }

  static double[] doubles(Allocation a) {
    return view(a).toArray(ValueLayout.JAVA_DOUBLE);
  }

  void launch(KernelCode kernel, int grid, int block, Object... arguments) {
    launch(kernel, Dim3.of(grid), Dim3.of(block), 0, arguments);
  }

  void launch(KernelCode kernel, Dim3 grid, Dim3 block, int dynamicShared, Object... arguments) {
    launch(engine, kernel, grid, block, dynamicShared, arguments);
  }

  static void launch(
      Engine engine,
      KernelCode kernel,
      Dim3 grid,
      Dim3 block,
      int dynamicShared,
      Object... arguments) {
    engine.run(new LaunchRequest(kernel, grid, block, dynamicShared, block(kernel, arguments)));
  }

  /** The parameter block of a launch. */
  static byte[] block(KernelCode kernel, Object... arguments) {
    ByteBuffer b = ByteBuffer.allocate(kernel.parameterBytes()).order(ByteOrder.LITTLE_ENDIAN);
    if (arguments.length != kernel.parameterCount()) {
      throw new IllegalArgumentException(
          kernel.name()
              + " takes "
              + kernel.parameterCount()
              + " arguments, not "
              + arguments.length);
    }
    for (int k = 0; k < arguments.length; k++) {
      int at = kernel.parameterOffset(k);
      switch (arguments[k]) {
        case Allocation a -> b.putLong(at, a.base());
        case Long v -> b.putLong(at, v);
        case Integer v -> b.putInt(at, v);
        case Float v -> b.putFloat(at, v);
        case Double v -> b.putDouble(at, v);
        case byte[] v -> b.put(at, v);
        default -> throw new IllegalArgumentException(String.valueOf(arguments[k]));
      }
    }
    return b.array();
  }

  @Override
  public void close() {
    engine.close();
    memory.close();
  }
}
