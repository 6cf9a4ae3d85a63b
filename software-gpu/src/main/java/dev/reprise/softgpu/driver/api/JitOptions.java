package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The options of {@code cuModuleLoadDataEx}: where the logs go. The other options steer a compiler
 * that this driver does not have; they are accepted.
 */
final class JitOptions {

  private static final int INFO_LOG_BUFFER = 3;
  private static final int INFO_LOG_SIZE = 4;
  private static final int ERROR_LOG_BUFFER = 5;
  private static final int ERROR_LOG_SIZE = 6;
  private static final int NUM_OPTIONS = 35;

  private record Log(long buffer, long size, long sizeSlot) {}

  private final Log info;
  private final Log error;

  private JitOptions(Log info, Log error) {
    this.info = info;
    this.error = error;
  }

  /** No options. */
  static JitOptions none() {
    return read(0, MemorySegment.NULL, MemorySegment.NULL);
  }

  /** Reads the two arrays of options and values. */
  static JitOptions read(int count, MemorySegment options, MemorySegment values) {
    long[] found = new long[NUM_OPTIONS];
    long[] slots = new long[NUM_OPTIONS];
    if (count > 0) {
      long names = CallerMemory.required(options, "options");
      long slot = CallerMemory.required(values, "optionValues");
      for (int i = 0; i < count; i++) {
        int option = CallerMemory.readInt(names + (long) i * Integer.BYTES);
        if (option < 0 || option >= NUM_OPTIONS) {
          throw CudaFailure.invalidValue("there is no JIT option " + option);
        }
        slots[option] = slot + (long) i * Long.BYTES;
        found[option] = CallerMemory.readLong(slots[option]);
      }
    } else if (count < 0) {
      throw CudaFailure.invalidValue(Integer.toUnsignedString(count) + " options");
    }
    return new JitOptions(
        new Log(found[INFO_LOG_BUFFER], found[INFO_LOG_SIZE], slots[INFO_LOG_SIZE]),
        new Log(found[ERROR_LOG_BUFFER], found[ERROR_LOG_SIZE], slots[ERROR_LOG_SIZE]));
  }

  void writeInfo(String text) {
    write(info, text);
  }

  void writeError(String text) {
    write(error, text);
  }

  /** Sizes are 32-bit numbers in pointer-sized slots; what was written replaces the size. */
  private static void write(Log log, String text) {
    int written =
        log.buffer == 0
            ? 0
            : CallerMemory.writeString(log.buffer, text, Integer.toUnsignedLong((int) log.size));
    if (log.sizeSlot != 0) {
      HostMemory.ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, log.sizeSlot, (long) written);
    }
  }
}
