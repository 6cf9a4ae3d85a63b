package dev.reprise.softgpu.driver.operation;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.queue.AccessSink;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.HostMemory;

/**
 * Writes one number in stream order, seen by all who read the memory ({@code cuStreamWriteValue}).
 *
 * @param bytes 4 or 8
 * @param flags {@code CUstreamWriteValue_flags}, kept for those who ask
 */
public record ValueWrite(DeviceMemory memory, long address, long value, int bytes, int flags)
    implements WordOperation {

  /** {@code CU_STREAM_MEM_OP_WRITE_VALUE_32}. */
  public static final int CODE_32 = 2;

  /** {@code CU_STREAM_MEM_OP_WRITE_VALUE_64}. */
  public static final int CODE_64 = 5;

  @Override
  public int code() {
    return bytes == Integer.BYTES ? CODE_32 : CODE_64;
  }

  @Override
  public String describe() {
    return "write of 0x%x in %d bytes at 0x%x".formatted(value, bytes, address);
  }

  @Override
  public void accesses(AccessSink sink) {
    sink.release(address, bytes);
  }

  @Override
  public void run() {
    AddressSpace space = memory.space();
    long ticket = space.beginAccess();
    try {
      Place place = Place.line(Place.Kind.DEVICE, address);
      place.checkAtRun(memory, bytes, this::describe);
      NativeRuns.each(
          space,
          address,
          bytes,
          (at, length) -> {
            if (bytes == Integer.BYTES) {
              JAVA_INT.varHandle().setVolatile(HostMemory.ALL, at, (int) value);
            } else {
              JAVA_LONG.varHandle().setVolatile(HostMemory.ALL, at, value);
            }
          });
    } finally {
      space.endAccess(ticket);
    }
  }
}
