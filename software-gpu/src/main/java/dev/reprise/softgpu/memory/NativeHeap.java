package dev.reprise.softgpu.memory;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The C heap. {@code calloc} hands out pages that the system zeroes on first touch, so that a large
 * device allocation costs nothing until used.
 */
final class NativeHeap {
  private static final MethodHandle CALLOC =
      handle("calloc", FunctionDescriptor.of(ADDRESS, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle FREE = handle("free", FunctionDescriptor.ofVoid(ADDRESS));

  private NativeHeap() {}

  private static MethodHandle handle(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
  }

  /** Address of {@code bytes} zeroed bytes, or 0 when the system has none left. */
  static long allocateZeroed(long bytes) {
    try {
      return ((MemorySegment) CALLOC.invokeExact(1L, bytes)).address();
    } catch (Throwable e) {
      throw new IllegalStateException("calloc of " + bytes + " bytes could not be called", e);
    }
  }

  static void free(long block) {
    try {
      FREE.invokeExact(MemorySegment.ofAddress(block));
    } catch (Throwable e) {
      throw new IllegalStateException("free could not be called", e);
    }
  }
}
