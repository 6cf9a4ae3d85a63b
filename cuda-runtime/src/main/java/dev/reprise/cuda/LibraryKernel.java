package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A kernel of a library, in no particular context; usable while the library is open. {@link #on}
 * gives what can be launched.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> all methods may be called during a capture, but for
 * {@link #on} where the library has not been used on the device before. See CUDA Driver API,
 * "Library Management".
 */
public final class LibraryKernel {

  private final CudaLibrary library;
  private final String name;
  private final MemorySegment value;

  LibraryKernel(CudaLibrary library, String name, MemorySegment value) {
    this.library = library;
    this.name = name;
    this.value = value;
  }

  /** Its symbol. */
  public String name() {
    return name;
  }

  /** The library it is from. */
  public CudaLibrary library() {
    return library;
  }

  /**
   * The driver's {@code CUkernel}, for calls that the runtime does not have. Borrowed: it is good
   * while the library is open and reachable; see {@linkplain dev.reprise.cuda raw handles}.
   *
   * @throws IllegalStateException if the library is closed
   */
  public MemorySegment driverHandle() {
    library.open();
    return value;
  }

  /**
   * The kernel on a device, to be prepared and launched like that of a module ({@code
   * cuKernelGetFunction}); the same object each time while the library is open.
   *
   * @throws IllegalStateException as {@link CudaLibrary#on}
   */
  public Kernel on(Device device) {
    return library.on(device).kernel(name);
  }

  /** One property on a device, as a number ({@code cuKernelGetAttribute}). */
  public int attribute(Device device, KernelAttribute attribute) {
    return LibraryCalls.attribute(
        library.open(), value, name, attribute, device.openHandle().device());
  }

  /**
   * Sets how much dynamic shared memory launches on a device may ask for ({@code
   * cuKernelSetAttribute}).
   *
   * @throws CudaException with {@code CUDA_ERROR_INVALID_VALUE} if the device has not so much
   */
  public void setMaxDynamicSharedBytes(Device device, int bytes) {
    set(device, KernelAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
  }

  /**
   * Sets the share of the first-level cache that is preferred as shared memory on a device; a hint
   * ({@code cuKernelSetAttribute}).
   *
   * @param percent 0 to 100; -1 for the driver's choice
   */
  public void setSharedMemoryCarveout(Device device, int percent) {
    set(device, KernelAttribute.PREFERRED_SHARED_MEMORY_CARVEOUT, percent);
  }

  private void set(Device device, KernelAttribute attribute, int number) {
    LibraryCalls.setAttribute(
        library.open(), value, name, attribute, number, device.openHandle().device());
  }

  /**
   * The bytes of each of its parameters ({@code cuKernelGetParamInfo}).
   *
   * @throws dev.reprise.bindings.MissingEntryPointException if the driver is older than CUDA 12.4
   */
  public List<Integer> parameterBytes() {
    return LibraryCalls.parameterBytes(library.open(), value, name);
  }

  @Override
  public String toString() {
    return "LibraryKernel " + name;
  }
}
