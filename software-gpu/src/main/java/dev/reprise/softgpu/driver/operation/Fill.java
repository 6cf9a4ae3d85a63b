package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.queue.AccessSink;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Sets elements of 1, 2 or 4 bytes to one value.
 *
 * @param width elements in a row
 * @param height rows
 */
public record Fill(
    DeviceMemory memory, Place destination, int value, int elementSize, long width, long height)
    implements Operation {

  /** Refuses an unmapped range, an element size that does not exist, and a misaligned address. */
  public void check() {
    if (elementSize != 1 && elementSize != 2 && elementSize != 4) {
      throw CudaFailure.invalidValue("element size " + elementSize + "; it is 1, 2 or 4");
    }
    if (destination.address() % elementSize != 0
        || (height > 1 && destination.pitch() % elementSize != 0)) {
      throw CudaFailure.invalidValue(
          "0x%x with pitch %d is not aligned to %d bytes"
              .formatted(destination.address(), destination.pitch(), elementSize));
    }
    if (width < 0 || height < 0 || width > Long.MAX_VALUE / 8) {
      throw CudaFailure.invalidValue("%d x %d elements".formatted(width, height));
    }
    destination.check(memory, bytes(), "destination");
  }

  private long bytes() {
    return destination.extent(width * elementSize, height, 1);
  }

  @Override
  public NodeType type() {
    return NodeType.MEMSET;
  }

  @Override
  public String describe() {
    return "fill of %d x %d elements of %d bytes at 0x%x with 0x%x"
        .formatted(width, height, elementSize, destination.address(), value);
  }

  @Override
  public void accesses(AccessSink sink) {
    for (long y = 0; y < height; y++) {
      sink.write(destination.address() + y * destination.pitch(), width * elementSize);
    }
  }

  @Override
  public void run() {
    long ticket = memory.space().beginAccess();
    try {
      destination.checkAtRun(memory, bytes(), this::describe);
      for (long y = 0; y < height; y++) {
        long row = destination.address() + y * destination.pitch();
        NativeRuns.each(memory.space(), row, width * elementSize, this::fillRun);
      }
    } finally {
      memory.space().endAccess(ticket);
    }
  }

  private void fillRun(long start, long bytes) {
    MemorySegment row = HostMemory.ALL.asSlice(start, bytes);
    long elements = bytes / elementSize;
    byte low = (byte) value;
    boolean sameBytes =
        switch (elementSize) {
          case 1 -> true;
          case 2 -> (byte) (value >> 8) == low;
          default -> value == (low & 0xff) * 0x01010101;
        };
    if (sameBytes) {
      row.fill(low);
    } else if (elementSize == 2) {
      for (long i = 0; i < elements; i++) {
        row.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) value);
      }
    } else {
      for (long i = 0; i < elements; i++) {
        row.setAtIndex(ValueLayout.JAVA_INT, i, value);
      }
    }
  }
}
