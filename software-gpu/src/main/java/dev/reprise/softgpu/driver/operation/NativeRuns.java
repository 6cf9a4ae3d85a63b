package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Access to bytes by the address that the caller knows, on whatever device, in native runs:
 * mappings that follow each other in a reserved range lie apart in native memory. The addresses
 * have been checked, but what they hit may have been freed since, which is a fault.
 */
final class NativeRuns {

  /** Does something with one run. */
  interface Run {
    void accept(long nativeAddress, long bytes);
  }

  private NativeRuns() {}

  static void copy(AddressSpace space, long to, long from, long bytes) {
    for (long done = 0; done < bytes; ) {
      Allocation source = space.locate(from + done);
      Allocation target = space.locate(to + done);
      long run =
          Math.min(bytes - done, Math.min(left(source, from + done), left(target, to + done)));
      MemorySegment.copy(
          HostMemory.ALL,
          address(source, from + done),
          HostMemory.ALL,
          address(target, to + done),
          run);
      done += run;
    }
  }

  static void write(AddressSpace space, long to, byte[] bytes) {
    each(
        space,
        to,
        bytes.length,
        new Run() {
          private int done;

          @Override
          public void accept(long nativeAddress, long length) {
            MemorySegment.copy(
                bytes, done, HostMemory.ALL, ValueLayout.JAVA_BYTE, nativeAddress, (int) length);
            done += (int) length;
          }
        });
  }

  static void each(AddressSpace space, long start, long bytes, Run action) {
    for (long done = 0; done < bytes; ) {
      Allocation allocation = space.locate(start + done);
      long run = Math.min(bytes - done, left(allocation, start + done));
      action.accept(address(allocation, start + done), run);
      done += run;
    }
  }

  /** Memory that no allocation holds is the caller's own, at its own address. */
  private static long left(@Nullable Allocation allocation, long at) {
    return allocation == null ? Long.MAX_VALUE : allocation.base() + allocation.size() - at;
  }

  private static long address(@Nullable Allocation allocation, long at) {
    if (allocation != null) {
      return allocation.host() + (at - allocation.base());
    }
    if (at >= AddressSpace.FIRST_ADDRESS) {
      throw new ExecutionFault(
          Result.ILLEGAL_ADDRESS, "0x%x was freed while it was accessed".formatted(at), at);
    }
    return at;
  }
}
