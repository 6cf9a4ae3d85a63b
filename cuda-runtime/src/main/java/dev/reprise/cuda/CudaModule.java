package dev.reprise.cuda;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Code loaded on a device.
 *
 * <p>Closing it unloads the code once no stream and no graph uses a kernel of it; kernels and
 * prepared launches of it are refused from then on.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> kernels may be looked up and launched during a capture;
 * loading is refused. See CUDA Driver API, "Module Management".
 */
public final class CudaModule implements AutoCloseable {

  private final Device device;
  private final ModuleHandle handle;
  private final ConcurrentHashMap<String, Kernel> kernels = new ConcurrentHashMap<>();

  CudaModule(Device device, ModuleHandle handle) {
    this.device = device;
    this.handle = handle;
  }

  /** The device it is loaded on. */
  public Device device() {
    return device;
  }

  /** Its name in messages. */
  public String label() {
    return handle.label();
  }

  /**
   * A kernel of the module; the same object for the same name.
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
    Kernel loaded = new Kernel(this, name, ModuleCalls.function(device.context(), handle, name));
    Kernel earlier = kernels.putIfAbsent(name, loaded);
    return earlier != null ? earlier : loaded;
  }

  /** Whether {@link #close} was called. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Unloads the code once nothing runs or holds it. */
  @Override
  public void close() {
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
