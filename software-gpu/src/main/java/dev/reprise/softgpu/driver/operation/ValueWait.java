package dev.reprise.softgpu.driver.operation;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.queue.AccessSink;
import dev.reprise.softgpu.driver.queue.FaultScope;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.HostMemory;
import java.util.concurrent.locks.LockSupport;

/**
 * Holds a stream until a number in memory meets a condition ({@code cuStreamWaitValue}), or until
 * the context is lost or goes away.
 *
 * @param condition by the numbers of {@code CUstreamWaitValue_flags}
 * @param bytes 4 or 8
 */
public record ValueWait(
    DeviceMemory memory, FaultScope faults, long address, long value, int condition, int bytes)
    implements WordOperation {

  /** {@code CU_STREAM_MEM_OP_WAIT_VALUE_32}. */
  public static final int CODE_32 = 1;

  /** {@code CU_STREAM_MEM_OP_WAIT_VALUE_64}. */
  public static final int CODE_64 = 4;

  /** {@code CU_STREAM_WAIT_VALUE_NOR}, the last of the conditions. */
  public static final int NOR = 3;

  private static final long PAUSE_NANOS = 20_000;

  @Override
  public int code() {
    return bytes == Integer.BYTES ? CODE_32 : CODE_64;
  }

  @Override
  public String describe() {
    return "wait for 0x%x by condition %d in %d bytes at 0x%x"
        .formatted(value, condition, bytes, address);
  }

  @Override
  public void accesses(AccessSink sink) {
    sink.acquire(address, bytes);
  }

  @Override
  public boolean ready() {
    try {
      return faults.ending() || met();
    } catch (ExecutionFault wrongAddress) {
      // Running it reports the fault.
      return true;
    }
  }

  @Override
  public void run() {
    while (!met() && !faults.ending()) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private boolean met() {
    long found = read();
    // 32-bit numbers are sign-extended on both sides, so that the difference wraps as documented.
    long difference = bytes == Integer.BYTES ? (int) (found - value) : found - value;
    return switch (condition) {
      case 0 -> difference >= 0;
      case 1 -> difference == 0;
      case 2 -> (found & value) != 0;
      default -> ~(found | value) != 0;
    };
  }

  private long read() {
    AddressSpace space = memory.space();
    long ticket = space.beginAccess();
    try {
      Place.line(Place.Kind.DEVICE, address).checkAtRun(memory, bytes, this::describe);
      Allocation allocation = space.find(address);
      long at = allocation == null ? address : allocation.host() + (address - allocation.base());
      return bytes == Integer.BYTES
          ? (int) JAVA_INT.varHandle().getVolatile(HostMemory.ALL, at)
          : (long) JAVA_LONG.varHandle().getVolatile(HostMemory.ALL, at);
    } finally {
      space.endAccess(ticket);
    }
  }
}
