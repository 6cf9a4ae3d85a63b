package dev.reprise.cuda;

import dev.reprise.cuda.ownership.HandleNode;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Code loaded on a device.
 *
 * <p>Closing it unloads the code once no stream and no graph uses a kernel of it; kernels and
 * prepared launches of it are refused from then on.
 *
 * <p>Code for several devices can be loaded once, as a {@link CudaLibrary}; what that is on a
 * device is a module, too.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> kernels may be looked up and launched during a capture;
 * loading is refused. See CUDA Driver API, "Module Management".
 */
public final class CudaModule implements AutoCloseable {

  private final Device device;
  private final ModuleHandle handle;
  private final ConcurrentHashMap<String, Kernel> kernels = new ConcurrentHashMap<>();

  /** Guarded by this object. */
  private final Map<String, DeviceBuffer> variables = new HashMap<>();

  CudaModule(Device device, ModuleHandle handle) {
    this.device = device;
    this.handle = handle;
  }

  /** Loads code on a device, by a call of the driver. */
  static CudaModule load(Device device, String label, Supplier<ModuleCalls.Loaded> driver) {
    Capture.refuse("Device.loadModule('" + label + "')");
    DeviceHandle parent = device.openHandle();
    device.context().retirement().drain();
    ModuleHandle module =
        HandleNode.under(parent, () -> new OwnModuleHandle(label, parent, driver.get()));
    CudaModule facade = new CudaModule(device, module);
    module.watch(facade);
    return facade;
  }

  /** The device it is loaded on. */
  public Device device() {
    return device;
  }

  /**
   * The driver's {@code CUmodule}, for calls that the runtime does not have. Borrowed: it is good
   * while the module is open and reachable; see {@linkplain dev.reprise.cuda raw handles}.
   *
   * @throws IllegalStateException if the module is closed
   */
  public MemorySegment driverHandle() {
    handle.checkOpen();
    return handle.value();
  }

  /** Its name in messages. */
  public String label() {
    return handle.label();
  }

  /**
   * A kernel of the module ({@code cuModuleGetFunction}); the same object for the same name.
   *
   * @param name its symbol, mangled if it is not {@code extern "C"}
   * @throws CudaException with {@code CUDA_ERROR_NOT_FOUND} if the module has none of this name
   */
  public Kernel kernel(String name) {
    handle.checkOpen();
    Kernel known = kernels.get(name);
    if (known != null) {
      return known;
    }
    Kernel loaded = new Kernel(this, name, handle.function(name));
    Kernel earlier = kernels.putIfAbsent(name, loaded);
    return earlier != null ? earlier : loaded;
  }

  /** What the driver's compiler said when the module was loaded; empty if it said nothing. */
  public String log() {
    return handle.log();
  }

  /**
   * A {@code __device__} or {@code __constant__} variable as memory, to be copied and passed to
   * kernels like any other ({@code cuModuleGetGlobal}). It belongs to the module: closing the
   * module closes it, and closing it frees nothing. The same object for the same name while it is
   * open.
   *
   * @param name its symbol, mangled if it is in a C++ namespace
   * @throws CudaException with {@code CUDA_ERROR_NOT_FOUND} if the module has none of this name
   */
  public synchronized DeviceBuffer global(String name) {
    handle.checkOpen();
    DeviceBuffer known = variables.get(name);
    if (known != null && !known.isClosed()) {
      return known;
    }
    MemorySegment place = ModuleCalls.variable(device.context(), handle, name);
    ModuleVariableHandle variable =
        HandleNode.under(
            handle,
            () -> new ModuleVariableHandle(handle, name, place.address(), place.byteSize()));
    DeviceBuffer buffer = new DeviceBuffer(device, variable);
    variable.watch(buffer);
    variables.put(name, buffer);
    return buffer;
  }

  /** Whether {@link #close} was called. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Closes the variables, and unloads the code once nothing runs or holds it. */
  @Override
  public synchronized void close() {
    variables.values().forEach(DeviceBuffer::close);
    variables.clear();
    handle.close();
  }

  ModuleHandle handle() {
    return handle;
  }

  @Override
  public String toString() {
    return "CudaModule '" + label() + "'";
  }
}
