package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * A kernel of a loaded module; usable while the module is open.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> all methods may be called during a capture. See CUDA
 * Driver API, "Execution Control".
 */
public final class Kernel {

  private final CudaModule module;
  private final String name;
  private final MemorySegment function;

  /** Empty where the driver does not tell. */
  private final Optional<List<ModuleCalls.Parameter>> parameters;

  Kernel(CudaModule module, String name, MemorySegment function) {
    this.module = module;
    this.name = name;
    this.function = function;
    this.parameters = ModuleCalls.parameters(module.device().context(), name, function);
  }

  /** Its symbol. */
  public String name() {
    return name;
  }

  /** The module it is from. */
  public CudaModule module() {
    return module;
  }

  /**
   * The driver's {@code CUfunction}, for calls that the runtime does not have. Borrowed: it is good
   * while the module is open and reachable; see {@linkplain dev.reprise.cuda raw handles}.
   *
   * @throws IllegalStateException if the module is closed
   */
  public MemorySegment driverHandle() {
    module.handle().checkOpen();
    return function;
  }

  /** One property as a number ({@code cuFuncGetAttribute}). */
  public int attribute(KernelAttribute attribute) {
    module.handle().checkOpen();
    return ModuleCalls.attribute(module.device().context(), name, function, attribute);
  }

  /**
   * Sets how much dynamic shared memory launches may ask for, which {@link #prepare} raises by
   * itself where a launch needs more ({@code cuFuncSetAttribute}).
   *
   * @throws CudaException with {@code CUDA_ERROR_INVALID_VALUE} if the device has not so much
   */
  public void setMaxDynamicSharedBytes(int bytes) {
    set(KernelAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
  }

  /**
   * Sets the share of the first-level cache that is preferred as shared memory ({@code
   * cuFuncSetAttribute}); a hint.
   *
   * @param percent 0 to 100; -1 for the driver's choice
   */
  public void setSharedMemoryCarveout(int percent) {
    set(KernelAttribute.PREFERRED_SHARED_MEMORY_CARVEOUT, percent);
  }

  private void set(KernelAttribute attribute, int value) {
    module.handle().checkOpen();
    ModuleCalls.setAttribute(module.device().context(), name, function, attribute, value);
  }

  /** How many blocks fit on a multiprocessor at once. */
  public KernelOccupancy occupancy() {
    return new KernelOccupancy(this);
  }

  /** As {@link #prepare(LaunchConfig, LaunchAttributes, KernelArg...)}, with no attributes. */
  public PreparedLaunch prepare(LaunchConfig config, KernelArg... args) {
    return prepare(config, LaunchAttributes.NONE, args);
  }

  /**
   * Builds a launch that can be made again and again without allocating: the arguments are laid out
   * in native memory once ({@code cuFuncGetAttribute}).
   *
   * <p>If the launch asks for more dynamic shared memory than the kernel is set up for, its limit
   * is raised first.
   *
   * @throws IllegalArgumentException if the arguments are not as many or not as large as the
   *     kernel's parameters (checked where the driver tells them, CUDA 12.4 and newer), if a block
   *     is larger than the kernel allows, or if a buffer belongs to another device
   * @throws IllegalStateException if the module or a buffer is closed
   */
  public PreparedLaunch prepare(
      LaunchConfig config, LaunchAttributes attributes, KernelArg... args) {
    module.handle().checkOpen();
    checkArguments(args);
    int limit = attribute(KernelAttribute.MAX_THREADS_PER_BLOCK);
    if (config.threadsPerBlock() > limit) {
      throw new IllegalArgumentException(
          "Kernel %s allows blocks of %d threads; %d×%d×%d are %d."
              .formatted(
                  name,
                  limit,
                  config.blockX(),
                  config.blockY(),
                  config.blockZ(),
                  config.threadsPerBlock()));
    }
    int dynamic = config.dynamicSharedBytes();
    if (dynamic > 0 && dynamic > attribute(KernelAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES)) {
      setMaxDynamicSharedBytes(dynamic);
    }
    return new PreparedLaunch(this, config, attributes, args);
  }

  /**
   * Whether the driver tells the parameters of kernels, so that {@link #prepare} checks the number
   * and sizes of arguments. Drivers before CUDA 12.4 do not ({@code cuFuncGetParamInfo}), which is
   * logged once: a launch with wrong arguments is then read as the kernel's parameters say.
   */
  public boolean tellsParameters() {
    return parameters.isPresent();
  }

  private void checkArguments(KernelArg[] args) {
    if (parameters.isEmpty()) {
      return;
    }
    List<ModuleCalls.Parameter> expected = parameters.get();
    if (expected.size() != args.length) {
      throw new IllegalArgumentException(
          "Kernel %s has %d parameters; %d arguments were given."
              .formatted(name, expected.size(), args.length));
    }
    for (int i = 0; i < args.length; i++) {
      if (expected.get(i).size() != args[i].size()) {
        throw new IllegalArgumentException(
            "Parameter %d of kernel %s has %d bytes; argument %s has %d."
                .formatted(i, name, expected.get(i).size(), args[i], args[i].size()));
      }
    }
  }

  MemorySegment function() {
    return function;
  }

  @Override
  public String toString() {
    return "Kernel " + name;
  }
}
