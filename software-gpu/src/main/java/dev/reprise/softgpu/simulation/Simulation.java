package dev.reprise.softgpu.simulation;

import java.util.OptionalLong;

/**
 * One scheduler for all asynchronous work of a driver: by a seed it decides which stream's next
 * operation goes, which node of a graph whose dependencies are met, which block of a kernel and
 * which of its warps. All orders are legal ones; operations run one at a time. Thread-safe.
 *
 * <p>A seed gives the same order, the same bits and the same reports each time, on any number of
 * processors, as long as the program makes the same calls in the same order: the device goes on
 * only inside calls of the program. A program that waits without a call, say by looking at pinned
 * memory, is noticed after a pause and served, and then its timing has a say.
 *
 * <p>Kernels that wait for other kernels, which CUDA does not promise to run at once, wait for ever
 * here.
 *
 * <p>Reached by {@link dev.reprise.softgpu.SoftwareDriver#simulation}.
 */
public interface Simulation {

  /**
   * Has streams take part that are made from now on.
   *
   * @throws IllegalStateException if a simulation is under way
   */
  SimulationSession begin(long seed);

  /** The seed of the simulation under way. */
  OptionalLong seed();
}
