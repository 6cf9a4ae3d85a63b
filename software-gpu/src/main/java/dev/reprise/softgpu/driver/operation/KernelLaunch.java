package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.engine.Engine;
import dev.reprise.softgpu.engine.LaunchRequest;

/**
 * One kernel launch, its parameters copied.
 *
 * @param function whose code runs
 * @param request grid, block, shared memory and parameters, ready for the engine
 * @param attributes what it asks for beyond that
 */
public record KernelLaunch(
    Engine engine, KernelFunction function, LaunchRequest request, KernelAttributes attributes)
    implements Operation {

  @Override
  public NodeType type() {
    return NodeType.KERNEL;
  }

  /**
   * The same launch with other attributes.
   *
   * @throws CudaFailure if it cannot be launched in the clusters that they ask for
   */
  public KernelLaunch with(KernelAttributes other) {
    LaunchRequest changed =
        request
            .withCooperative(other.cooperative())
            .withCluster(LaunchCluster.of(function, request.grid(), other));
    return new KernelLaunch(engine, function, changed, other);
  }

  @Override
  public String describe() {
    String clusters = request.cluster() == null ? "" : ", clusters of " + request.cluster();
    return "kernel %s, grid %s%s, block %s, %d bytes of dynamic shared memory"
        .formatted(
            request.kernel().name(),
            request.grid(),
            clusters,
            request.block(),
            request.dynamicSharedBytes());
  }

  @Override
  public int storedBytes() {
    return NODE_BYTES + request.parameters().length;
  }

  @Override
  public void run() {
    engine.run(request);
  }
}
