package dev.reprise.cuda;

import dev.reprise.cuda.ownership.HandleNode;
import java.lang.foreign.MemorySegment;

/**
 * The memory that a device gives: its own, page-locked memory of the host, reserved addresses and
 * pools; {@link Device} has the rules that hold for all of it.
 */
abstract sealed class DeviceAllocations permits Device {

  abstract Device self();

  /** The handle, which is not closed. */
  abstract DeviceHandle openHandle();

  /**
   * Allocates device memory, from the default pool of the device where it has one ({@code
   * cuMemAllocAsync}); its contents are undefined.
   *
   * @param label its name in messages
   * @param bytes at least 1
   */
  public DeviceBuffer allocate(String label, long bytes) {
    return allocate(label, bytes, BufferOptions.STANDARD);
  }

  /**
   * Allocates device memory of a kind; its contents are undefined.
   *
   * @param label its name in messages
   * @param bytes at least 1
   */
  public DeviceBuffer allocate(String label, long bytes, BufferOptions options) {
    Capture.refuse("Device.allocate('" + label + "')");
    DeviceHandle handle = openHandle();
    checkSize(label, bytes);
    handle.context().retirement().drain();
    DeviceMemoryHandle memory =
        HandleNode.under(
            handle,
            () ->
                new DeviceMemoryHandle(
                    label, handle, handle.memory().allocate(label, bytes), bytes, options));
    DeviceBuffer facade = new DeviceBuffer(self(), memory);
    memory.watch(facade);
    return facade;
  }

  /**
   * Allocates page-locked host memory, which asynchronous copies need ({@code cuMemHostAlloc}); its
   * contents are undefined.
   *
   * @param label its name in messages
   * @param bytes at least 1
   */
  public PinnedBuffer allocatePinned(String label, long bytes) {
    return allocatePinned(label, bytes, PinnedOptions.STANDARD);
  }

  /**
   * Allocates page-locked host memory of a kind; its contents are undefined.
   *
   * @param label its name in messages
   * @param bytes at least 1
   */
  public PinnedBuffer allocatePinned(String label, long bytes, PinnedOptions options) {
    Capture.refuse("Device.allocatePinned('" + label + "')");
    DeviceHandle handle = openHandle();
    checkSize(label, bytes);
    handle.context().retirement().drain();
    PinnedMemoryHandle memory =
        HandleNode.under(
            handle,
            () ->
                new PinnedMemoryHandle(
                    label,
                    handle,
                    MemoryCalls.allocatePinned(handle.context(), label, bytes, options),
                    bytes));
    return new PinnedBuffer(self(), memory);
  }

  /**
   * Page-locks native memory of the program, so that asynchronous copies and kernels can use it
   * ({@code cuMemHostRegister}); see {@link RegisteredMemory} for how long it must live. Waits
   * while an earlier registration of the same memory is being ended.
   *
   * @param label its name in messages
   * @param memory at least 1 byte of native memory that may be written
   * @throws IllegalArgumentException if it is heap memory, empty or read-only, or if it overlaps
   *     registered memory in part
   */
  public RegisteredMemory register(String label, MemorySegment memory) {
    Capture.refuse("Device.register('" + label + "')");
    DeviceHandle handle = openHandle();
    if (!memory.isNative() || memory.isReadOnly()) {
      throw new IllegalArgumentException(
          "RegisteredMemory '%s' must be native memory that can be written: the garbage collector moves heap memory, so the device cannot reach it. Allocate it from an Arena."
              .formatted(label));
    }
    checkSize(label, memory.byteSize());
    handle.context().retirement().drain();
    HostRegistration registration =
        handle
            .context()
            .registrations()
            .acquire(handle, label, memory.address(), memory.byteSize());
    return new RegisteredMemory(self(), new RegisteredMemoryHandle(label, registration), memory);
  }

  /**
   * Reserves device addresses, so that memory can be added behind what is there without moving it
   * ({@code cuMemAddressReserve}); takes no memory yet.
   *
   * @param label its name in messages
   * @param reservedBytes the most that the range can grow to, at least 1; rounded up to {@link
   *     VirtualRange#granularity}
   * @throws CudaException with {@code CUDA_ERROR_NOT_SUPPORTED} on a device without {@link
   *     DeviceAttribute#VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED}
   */
  public VirtualRange reserve(String label, long reservedBytes) {
    Capture.refuse("Device.reserve('" + label + "')");
    DeviceHandle handle = openHandle();
    checkSize(label, reservedBytes);
    handle.context().retirement().drain();
    return VirtualRange.reserve(self(), label, reservedBytes);
  }

  private static void checkSize(String label, long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "Buffer '%s' cannot have %d bytes.".formatted(label, bytes));
    }
  }

  /**
   * The pool that memory comes from where no other is named ({@code cuDeviceGetDefaultMemPool}).
   */
  public MemoryPool defaultMemoryPool() {
    openHandle();
    return MemoryPool.ofDevice(self());
  }

  /**
   * Makes a pool for stream-ordered allocations, empty and with the driver's settings ({@code
   * cuMemPoolCreate}).
   *
   * @param label its name in messages
   */
  public MemoryPool createMemoryPool(String label) {
    Capture.refuse("Device.createMemoryPool('" + label + "')");
    DeviceHandle handle = openHandle();
    handle.context().retirement().drain();
    MemoryPoolHandle pool =
        HandleNode.under(
            handle,
            () ->
                new MemoryPoolHandle(
                    label, handle, PoolCalls.create(handle.context(), handle.device(), label)));
    return MemoryPool.own(self(), pool);
  }
}
