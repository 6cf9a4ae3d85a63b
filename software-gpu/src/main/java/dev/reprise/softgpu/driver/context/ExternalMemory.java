package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Descriptor;
import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.StandardOpenOption;

/**
 * Imported memory ({@code CUexternalMemory}). A file takes the place of what a graphics driver
 * exports: its bytes are the memory, shared with all who map the file, in whatever process.
 */
public final class ExternalMemory extends Handled {

  private final Descriptor descriptor;
  private final long size;

  private ExternalMemory(Handles handles, Descriptor descriptor, long size) {
    super(handles, HandleKind.EXTERNAL_MEMORY);
    this.descriptor = descriptor;
    this.size = size;
  }

  /**
   * Imports a descriptor, which belongs to the driver from now on.
   *
   * @throws CudaFailure with {@code INVALID_VALUE} if it is no descriptor of a file of that size
   */
  public static ExternalMemory importFile(Handles handles, int descriptor, long size) {
    Descriptor file = new Descriptor(descriptor);
    long there = file.file("memory of another driver").size();
    // What lies behind the end of a file faults the process, not the kernel that touches it.
    if (size <= 0 || size > there) {
      throw CudaFailure.invalidValue(
          "%d bytes of descriptor %d, whose file has %d".formatted(size, descriptor, there));
    }
    return handles.publish(new ExternalMemory(handles, file, size));
  }

  /** How many bytes it has. */
  public long size() {
    return size;
  }

  /** Maps a range of it, until the arena is closed. */
  public MemorySegment map(long offset, long bytes, Arena arena) {
    try (FileChannel file =
        FileChannel.open(descriptor.path(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return file.map(MapMode.READ_WRITE, offset, bytes, arena);
    } catch (IOException e) {
      throw new CudaFailure(
          Result.OPERATING_SYSTEM,
          "descriptor %d of %s cannot be mapped: %s".formatted(descriptor.number(), this, e));
    }
  }

  /** Ends the import and closes its descriptor; what is mapped stays so. */
  public void destroy(Handles handles) {
    if (!handles.remove(this)) {
      throw CudaFailure.invalidHandle(this + " was destroyed already");
    }
    descriptor.close(this);
  }
}
