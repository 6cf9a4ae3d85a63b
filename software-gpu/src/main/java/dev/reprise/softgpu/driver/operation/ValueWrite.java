package dev.reprise.softgpu.driver.operation;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.HostMemory;

/**
 * Writes one number in stream order, seen by all who read the memory ({@code cuStreamWriteValue}).
 *
 * @param bytes 4 or 8
 */
public record ValueWrite(DeviceMemory memory, long address, long value, int bytes) implements Work {

  @Override
  public void run() {
    AddressSpace space = memory.space();
    long ticket = space.beginAccess();
    try {
      Place place = Place.line(Place.Kind.DEVICE, address);
      place.checkAtRun(memory, bytes, this::toString);
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
