package dev.reprise.cuda;

import dev.reprise.cuda.ownership.HandleNode;
import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Code that is loaded once and can be used on every device. {@link Device#loadLibrary} makes it;
 * {@link #on} gives what it is on a device, which is a module like any other. A program with one
 * device has no need of it: {@link Device#loadModule} does the same.
 *
 * <p>Closing it closes its modules, and unloads the code once no stream and no graph uses a kernel
 * of it on any device.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> kernels may be looked up during a capture; loading, and
 * the first use on a device, which may load, are refused. See CUDA Driver API, "Library
 * Management".
 */
public final class CudaLibrary implements AutoCloseable {

  private final Device device;
  private final LibraryHandle handle;
  private final ConcurrentHashMap<String, LibraryKernel> kernels = new ConcurrentHashMap<>();

  /** Guarded by this object. */
  private final Map<Device, CudaModule> modules = new IdentityHashMap<>();

  CudaLibrary(Device device, LibraryHandle handle) {
    this.device = device;
    this.handle = handle;
  }

  /** Loads code as a library, by a context of the device. */
  static CudaLibrary load(Device device, String label, byte[] image, ModuleOptions options) {
    Capture.refuse("Device.loadLibrary('" + label + "')");
    DeviceHandle parent = device.openHandle();
    Context context = device.context();
    context.retirement().drain();
    LibraryHandle library =
        HandleNode.under(
            parent,
            () ->
                new LibraryHandle(
                    label, parent, LibraryCalls.load(context, label, image, options)));
    CudaLibrary facade = new CudaLibrary(device, library);
    library.watch(facade);
    return facade;
  }

  /** The device by which it was loaded, which it keeps alive. */
  public Device device() {
    return device;
  }

  /** Its name in messages. */
  public String label() {
    return handle.label();
  }

  /**
   * The driver's {@code CUlibrary}, for calls that the runtime does not have. Borrowed: it is good
   * while the library is open and reachable; see {@linkplain dev.reprise.cuda raw handles}.
   *
   * @throws IllegalStateException if the library is closed
   */
  public MemorySegment driverHandle() {
    return open().value();
  }

  /**
   * What the driver's compiler has said; empty if it said nothing. A driver may compile for a
   * device only when the code is first used there, and then say more.
   */
  public String log() {
    return handle.log();
  }

  /**
   * The symbols of its kernels ({@code cuLibraryEnumerateKernels}).
   *
   * @throws dev.reprise.bindings.MissingEntryPointException if the driver is older than CUDA 12.4
   */
  public List<String> kernelNames() {
    return LibraryCalls.kernelNames(open());
  }

  /**
   * A kernel of the library ({@code cuLibraryGetKernel}); the same object for the same name.
   *
   * @param name its symbol, mangled if it is not {@code extern "C"}
   * @throws CudaException with {@code CUDA_ERROR_NOT_FOUND} if the library has none of this name
   */
  public LibraryKernel kernel(String name) {
    LibraryHandle open = open();
    LibraryKernel known = kernels.get(name);
    if (known != null) {
      return known;
    }
    LibraryKernel found = new LibraryKernel(this, name, LibraryCalls.kernel(open, name));
    LibraryKernel earlier = kernels.putIfAbsent(name, found);
    return earlier != null ? earlier : found;
  }

  /**
   * The library on a device, as a module with kernels and variables ({@code cuLibraryGetModule}).
   * It belongs to the library: closing the library closes it, and closing it unloads nothing. The
   * same object for the same device while it is open.
   *
   * @throws IllegalStateException at the first use on a device, on a thread that is capturing
   */
  public synchronized CudaModule on(Device target) {
    LibraryHandle library = open();
    DeviceHandle place = target.openHandle();
    CudaModule known = modules.get(target);
    if (known != null && !known.isClosed()) {
      return known;
    }
    Capture.refuse("CudaLibrary.on, the first time on a device,");
    LibraryModuleHandle module =
        HandleNode.under(
            library,
            () ->
                HandleNode.under(
                    place,
                    () ->
                        new LibraryModuleHandle(
                            library, place, LibraryCalls.module(place.context(), library))));
    CudaModule facade = new CudaModule(target, module);
    module.watch(facade);
    modules.put(target, facade);
    return facade;
  }

  /** Whether {@link #close} was called. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Closes its modules, and unloads the code once nothing runs or holds it. */
  @Override
  public synchronized void close() {
    modules.values().forEach(CudaModule::close);
    modules.clear();
    handle.close();
  }

  /** The handle, which is not closed. */
  LibraryHandle open() {
    handle.checkOpen();
    return handle;
  }

  @Override
  public String toString() {
    return "CudaLibrary '" + label() + "'";
  }
}
