package dev.reprise.softgpu.driver.support;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * Reads and writes through the pointers that a caller passes. A null pointer is {@code
 * CUDA_ERROR_INVALID_VALUE} and names the argument; any other address is trusted, as in C.
 */
public final class CallerMemory {

  private CallerMemory() {}

  /** True for a null pointer. */
  public static boolean isNull(MemorySegment pointer) {
    return pointer.address() == 0;
  }

  /** The address of a pointer that must not be null. */
  public static long required(MemorySegment pointer, String argument) {
    if (isNull(pointer)) {
      throw CudaFailure.invalidValue(argument + " is null");
    }
    return pointer.address();
  }

  /** A struct or array of known size behind a pointer that must not be null. */
  public static MemorySegment struct(MemorySegment pointer, long bytes, String argument) {
    return HostMemory.ALL.asSlice(required(pointer, argument), bytes);
  }

  /** Reads an {@code int}. */
  public static int readInt(long address) {
    return HostMemory.ALL.get(JAVA_INT_UNALIGNED, address);
  }

  /** Reads a pointer, a {@code size_t} or another 64-bit number. */
  public static long readLong(long address) {
    return HostMemory.ALL.get(JAVA_LONG_UNALIGNED, address);
  }

  /** Writes an {@code int} result. */
  public static void writeInt(MemorySegment pointer, String argument, int value) {
    HostMemory.ALL.set(JAVA_INT_UNALIGNED, required(pointer, argument), value);
  }

  /** Writes a pointer, {@code size_t} or 64-bit result. */
  public static void writeLong(MemorySegment pointer, String argument, long value) {
    HostMemory.ALL.set(JAVA_LONG_UNALIGNED, required(pointer, argument), value);
  }

  /** Writes a {@code float} result. */
  public static void writeFloat(MemorySegment pointer, String argument, float value) {
    HostMemory.ALL.set(JAVA_FLOAT_UNALIGNED, required(pointer, argument), value);
  }

  /** Writes an {@code int} where the caller may pass null for "not wanted". */
  public static void writeIntIfWanted(MemorySegment pointer, int value) {
    if (!isNull(pointer)) {
      HostMemory.ALL.set(JAVA_INT_UNALIGNED, pointer.address(), value);
    }
  }

  /** Writes a 64-bit number where the caller may pass null for "not wanted". */
  public static void writeLongIfWanted(MemorySegment pointer, long value) {
    if (!isNull(pointer)) {
      HostMemory.ALL.set(JAVA_LONG_UNALIGNED, pointer.address(), value);
    }
  }

  /** Reads a NUL-terminated UTF-8 string. */
  public static String readString(MemorySegment pointer, String argument) {
    return HostMemory.ALL.getString(required(pointer, argument));
  }

  /**
   * Writes a NUL-terminated string, cut to fit.
   *
   * @return how many bytes were written, with the NUL
   */
  public static int writeString(long address, String text, long capacity) {
    if (capacity <= 0) {
      return 0;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int length = (int) Math.min(bytes.length, capacity - 1);
    MemorySegment.copy(bytes, 0, HostMemory.ALL, JAVA_BYTE, address, length);
    HostMemory.ALL.set(JAVA_BYTE, address + length, (byte) 0);
    return length + 1;
  }
}
