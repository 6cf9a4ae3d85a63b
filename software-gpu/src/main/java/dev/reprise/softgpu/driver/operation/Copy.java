package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.queue.AccessSink;

/**
 * A copy of a box of bytes. Addresses are looked up when it runs, so a graph reads pageable host
 * memory at each launch.
 *
 * @param width bytes in a row
 * @param height rows in a slice
 * @param depth slices
 */
public record Copy(
    DeviceMemory memory, Place destination, Place source, long width, long height, long depth)
    implements Operation {

  /** A copy of bytes in a row. */
  public static Copy line(DeviceMemory memory, Place destination, Place source, long bytes) {
    return new Copy(memory, destination, source, bytes, 1, 1);
  }

  /** Refuses ranges that are not mapped now. */
  public void check() {
    destination.check(memory, destination.extent(width, height, depth), "destination");
    source.check(memory, source.extent(width, height, depth), "source");
  }

  /** True when there is nothing to copy. */
  public boolean empty() {
    return width == 0 || height == 0 || depth == 0;
  }

  /** True when one side is host memory that the driver was not told about. */
  public boolean pageable() {
    return source.pageable(memory) || destination.pageable(memory);
  }

  /** True when neither side is host memory, so that nobody needs to wait for it on the host. */
  public boolean withinDevice() {
    return !source.onHost(memory) && !destination.onHost(memory);
  }

  /** True for a copy of bytes in a row, the only one that updates may change. */
  public boolean linear() {
    return height == 1 && depth == 1;
  }

  @Override
  public NodeType type() {
    return NodeType.MEMCPY;
  }

  @Override
  public String describe() {
    return "copy of %d x %d x %d bytes from 0x%x to 0x%x"
        .formatted(width, height, depth, source.address(), destination.address());
  }

  @Override
  public void accesses(AccessSink sink) {
    for (long z = 0; z < depth; z++) {
      for (long y = 0; y < height; y++) {
        sink.copy(
            destination.address() + z * destination.slice() + y * destination.pitch(),
            source.address() + z * source.slice() + y * source.pitch(),
            width);
      }
    }
  }

  @Override
  public void run() {
    long ticket = memory.space().beginAccess();
    try {
      destination.checkAtRun(memory, destination.extent(width, height, depth), this::describe);
      source.checkAtRun(memory, source.extent(width, height, depth), this::describe);
      for (long z = 0; z < depth; z++) {
        for (long y = 0; y < height; y++) {
          NativeRuns.copy(
              memory.space(),
              destination.address() + z * destination.slice() + y * destination.pitch(),
              source.address() + z * source.slice() + y * source.pitch(),
              width);
        }
      }
    } finally {
      memory.space().endAccess(ticket);
    }
  }
}
