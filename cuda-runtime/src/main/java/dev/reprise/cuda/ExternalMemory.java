package dev.reprise.cuda;

import dev.reprise.cuda.ownership.HandleNode;
import java.lang.foreign.MemorySegment;

/**
 * Memory that another driver of the same device has made, such as one of Vulkan; {@link
 * Device#importMemory} takes it over. {@link #map} gives ranges of it as buffers, to be used as
 * any. What others do to the memory is ordered with it by an {@link ExternalSemaphore}.
 *
 * <p>On the software GPU, which has no other driver beside it, a file takes the place of what such
 * a driver exports, shared with all who map it: see {@code docs/software-gpu.md}.
 *
 * <p>Closing it gives the memory back once all buffers of it are closed and nothing uses them.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> its buffers may be captured; importing and mapping are
 * refused. See CUDA Driver API, "External Resource Interoperability".
 */
public final class ExternalMemory implements AutoCloseable {

  private final Device device;
  private final ExternalMemoryHandle handle;

  ExternalMemory(Device device, ExternalMemoryHandle handle) {
    this.device = device;
    this.handle = handle;
  }

  /** The device it was imported for. */
  public Device device() {
    return device;
  }

  /** Its name in messages. */
  public String label() {
    return handle.label();
  }

  /**
   * The driver's {@code CUexternalMemory}, for calls that the runtime does not have. Borrowed: it
   * is good while the memory is open and reachable; see {@linkplain dev.reprise.cuda raw handles}.
   *
   * @throws IllegalStateException if the memory is closed
   */
  public MemorySegment driverHandle() {
    handle.checkOpen();
    return handle.value();
  }

  /** Its bytes. */
  public long size() {
    return handle.size();
  }

  /**
   * A range of it as a buffer ({@code cuExternalMemoryGetMappedBuffer}), which keeps the memory
   * until it is closed. Closing the buffer does not wait; a thread of the runtime frees the mapping
   * ({@code cuMemFree}), which waits for the device.
   *
   * @param label its name in messages
   * @param offset in bytes from the start of the memory
   * @param bytes at least 1
   * @throws IndexOutOfBoundsException if the range is not inside the memory
   */
  public DeviceBuffer map(String label, long offset, long bytes) {
    Capture.refuse("ExternalMemory.map of '" + label() + "'");
    handle.checkOpen();
    if (offset < 0 || bytes < 1 || offset > size() - bytes) {
      throw new IndexOutOfBoundsException(
          "Buffer '%s': %d bytes from offset %d are not inside ExternalMemory '%s' of %d bytes."
              .formatted(label, bytes, offset, label(), size()));
    }
    device.context().retirement().drain();
    ExternalBufferHandle mapped =
        HandleNode.under(
            handle,
            () ->
                new ExternalBufferHandle(
                    label, handle, ExternalMemoryCalls.map(handle, label, offset, bytes), bytes));
    DeviceBuffer facade = new DeviceBuffer(device, mapped);
    mapped.watch(facade);
    return facade;
  }

  /** Whether {@link #close} was called; its buffers may still be open. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Gives it back once all buffers of it are gone ({@code cuDestroyExternalMemory}). */
  @Override
  public void close() {
    handle.close();
  }

  @Override
  public String toString() {
    return "ExternalMemory '%s' (%d bytes)".formatted(label(), size());
  }
}
