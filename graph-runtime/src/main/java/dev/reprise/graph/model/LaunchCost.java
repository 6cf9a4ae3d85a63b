package dev.reprise.graph.model;

import java.util.OptionalInt;

/**
 * What launching a step of K kernels costs, by K plain launches or as one graph. The step begins
 * when the host has the result of the one before, as in a decode loop that is not pipelined.
 *
 * @param launchMicros t_l: host time of one plain launch
 * @param gapMicros time of the device between two kernels of plain launches
 * @param graphMicros from the launch of a graph to its first kernel
 * @param nodeMicros time of the device between two nodes of a graph
 */
public record LaunchCost(
    double launchMicros, double gapMicros, double graphMicros, double nodeMicros) {

  /**
   * Figures of the size that users of current devices and drivers publish; nothing measured here.
   */
  public static final LaunchCost ASSUMED = new LaunchCost(2.5, 1.4, 8, 0.6);

  /** Checks that costs are finite and not negative. */
  public LaunchCost {
    for (double cost : new double[] {launchMicros, gapMicros, graphMicros, nodeMicros}) {
      if (!(cost >= 0 && cost < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException(
            "the costs of launches must be finite and not negative: " + cost);
      }
    }
  }

  /** K · t_l: host time of all plain launches, which the step cannot beat. */
  public double eagerHostMicros(int kernels) {
    return kernels * launchMicros;
  }

  /**
   * The time of an eager step: that of the host's launches, or that of the device when it is
   * longer.
   *
   * @param kernelMicros time of the kernels alone
   */
  public double eagerMicros(int kernels, double kernelMicros) {
    return Math.max(eagerHostMicros(kernels), launchMicros + kernels * gapMicros + kernelMicros);
  }

  /**
   * The time of a replayed step.
   *
   * @param kernelMicros time of the kernels alone
   */
  public double replayMicros(int kernels, double kernelMicros) {
    return graphMicros + kernels * nodeMicros + kernelMicros;
  }

  /** Whether the host's launches bound an eager step. */
  public boolean launchBound(int kernels, double kernelMicros) {
    return eagerHostMicros(kernels) > launchMicros + kernels * gapMicros + kernelMicros;
  }

  /**
   * The number of kernels from which on a replay is faster where kernels take no time; empty when
   * no number is enough.
   */
  public OptionalInt breakEvenKernels() {
    double saved = Math.max(launchMicros, gapMicros) - nodeMicros;
    for (int kernels = 1; saved > 0 && kernels < 1_000_000; kernels++) {
      if (eagerMicros(kernels, 0) > replayMicros(kernels, 0)) {
        return OptionalInt.of(kernels);
      }
    }
    return OptionalInt.empty();
  }
}
