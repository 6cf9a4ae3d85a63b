package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.engine.KernelCode;
import dev.reprise.softgpu.engine.LoadedModule;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A module ({@code CUmodule}): the code that was loaded and a handle for each of its kernels. */
public final class LoadedImage extends Handled {

  private final LoadedModule module;
  private final Object owner;
  private final Map<String, KernelFunction> functions = new LinkedHashMap<>();
  private volatile boolean loaded = true;

  /** Takes over a loaded module for a context. */
  public LoadedImage(
      Handles handles, LoadedModule module, Object owner, int ptxVersion, int defaultSharedLimit) {
    super(handles, HandleKind.MODULE);
    this.module = module;
    this.owner = owner;
    for (KernelCode code : module.kernels()) {
      KernelFunction function =
          new KernelFunction(
              handles, this, code, ptxVersion, defaultSharedLimit - code.staticSharedBytes());
      functions.put(code.name(), handles.publish(function));
    }
  }

  /** The code and variables. */
  public LoadedModule module() {
    return module;
  }

  /** The context it was loaded into. */
  public Object owner() {
    return owner;
  }

  /** True until the module is unloaded. */
  public boolean loaded() {
    return loaded;
  }

  /** All kernels, in the order of the text. */
  public Collection<KernelFunction> functions() {
    return List.copyOf(functions.values());
  }

  /** The kernel of a name; {@code CUDA_ERROR_NOT_FOUND} names those that exist. */
  public KernelFunction function(String name) {
    KernelFunction function = functions.get(name);
    if (function == null) {
      throw new CudaFailure(
          Result.NOT_FOUND, "no kernel '" + name + "' in " + this + ": " + functions.keySet());
    }
    return function;
  }

  /** Forgets the functions and frees the variables. The module must not be in use. */
  public void unload(Handles handles) {
    loaded = false;
    functions.values().forEach(handles::remove);
    module.unload();
  }
}
