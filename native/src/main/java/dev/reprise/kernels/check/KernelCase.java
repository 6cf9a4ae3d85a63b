package dev.reprise.kernels.check;

import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.Kernels;
import java.util.Random;

/**
 * One kernel on one shape.
 *
 * @param kernel name of the kernel
 * @param shape the shape, for people
 * @param body makes inputs, launches the kernel and compares
 */
public record KernelCase(String kernel, String shape, Body body) {

  /** Makes inputs, launches the kernel and compares. */
  @FunctionalInterface
  public interface Body {

    /** The comparison of one run. */
    Agreement run(Bench bench);
  }

  /**
   * What a case runs on.
   *
   * @param kernel the kernel that it must launch
   * @param kernels the kernels
   * @param arrays the device
   * @param random for inputs
   */
  public record Bench(String kernel, Kernels kernels, DeviceArrays arrays, Random random) {

    /**
     * Runs a launch and waits for it.
     *
     * @throws IllegalStateException if it is of another kernel
     */
    void run(PreparedLaunch launch) {
      if (!launch.kernel().name().equals(kernel)) {
        throw new IllegalStateException(
            "A case of kernel %s launches %s.".formatted(kernel, launch.kernel().name()));
      }
      arrays.run(launch);
    }
  }

  /**
   * Runs the case; its buffers are freed.
   *
   * @param seed of the inputs
   */
  public Agreement run(Kernels kernels, DeviceArrays arrays, long seed) {
    try {
      return body.run(new Bench(kernel, kernels, arrays, new Random(seed)));
    } finally {
      arrays.freeBuffers();
    }
  }
}
