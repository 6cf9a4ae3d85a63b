package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.queue.AccessSink;
import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A copy to the device of pageable bytes that were read when the call was made, so that the caller
 * may change them at once.
 */
public final class StagedCopy implements Operation {

  private final DeviceMemory memory;
  private final Place destination;
  private final byte[] bytes;

  private StagedCopy(DeviceMemory memory, Place destination, byte[] bytes) {
    this.memory = memory;
    this.destination = destination;
    this.bytes = bytes;
  }

  /** Reads the source now. */
  public static StagedCopy of(DeviceMemory memory, Place destination, long source, int bytes) {
    byte[] staged = new byte[bytes];
    MemorySegment.copy(HostMemory.ALL, ValueLayout.JAVA_BYTE, source, staged, 0, bytes);
    return new StagedCopy(memory, destination, staged);
  }

  @Override
  public NodeType type() {
    return NodeType.MEMCPY;
  }

  @Override
  public String describe() {
    return "copy of %d staged bytes to 0x%x".formatted(bytes.length, destination.address());
  }

  @Override
  public void accesses(AccessSink sink) {
    sink.write(destination.address(), bytes.length);
  }

  @Override
  public void run() {
    long ticket = memory.space().beginAccess();
    try {
      destination.checkAtRun(memory, bytes.length, this::describe);
      NativeRuns.write(memory.space(), destination.address(), bytes);
    } finally {
      memory.space().endAccess(ticket);
    }
  }
}
