package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.operation.LoadedImage;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A library ({@code CUlibrary}): code that belongs to no context, and is loaded into each context
 * where it is used. Thread-safe.
 */
public final class CodeLibrary extends Handled {

  /** Loads the code into a context. */
  public interface Loader {
    LoadedImage load(Context context);
  }

  private final Loader loader;
  private final Map<String, LibraryKernel> kernels = new LinkedHashMap<>();
  private final Map<Context, LoadedImage> images = new LinkedHashMap<>();

  /**
   * A library that is loaded into one context already.
   *
   * @param names its kernels
   * @param loader loads it into further contexts
   */
  public CodeLibrary(
      Handles handles,
      Collection<String> names,
      Loader loader,
      Context context,
      LoadedImage image) {
    super(handles, HandleKind.LIBRARY);
    this.loader = loader;
    images.put(context, image);
    for (String name : names) {
      kernels.put(name, handles.publish(new LibraryKernel(handles, this, name)));
    }
  }

  /** All kernels, in the order of the text. */
  public Collection<LibraryKernel> kernels() {
    return List.copyOf(kernels.values());
  }

  /** The kernel of a name; {@code CUDA_ERROR_NOT_FOUND} names those that exist. */
  public LibraryKernel kernel(String name) {
    LibraryKernel kernel = kernels.get(name);
    if (kernel == null) {
      throw new CudaFailure(
          Result.NOT_FOUND, "no kernel '" + name + "' in " + this + ": " + kernels.keySet());
    }
    return kernel;
  }

  /** The module of a context; loaded at the first use, and again after it was unloaded. */
  public synchronized LoadedImage image(Context context) {
    LoadedImage image = images.get(context);
    if (image == null || !image.loaded()) {
      image = loader.load(context);
      images.put(context, image);
    }
    return image;
  }

  /** Forgets the kernels, and gives the modules that are loaded with their contexts. */
  public synchronized Map<Context, LoadedImage> close(Handles handles) {
    kernels.values().forEach(handles::remove);
    Map<Context, LoadedImage> loaded = new LinkedHashMap<>(images);
    loaded.values().removeIf(image -> !image.loaded());
    images.clear();
    return loaded;
  }
}
