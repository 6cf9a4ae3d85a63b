package dev.reprise.graph.model;

/**
 * What is saved when a chain of kernels that hand arrays to each other through device memory
 * becomes one: each array between two of them is neither written nor read, and all launches but one
 * go.
 *
 * @param kernels kernels of the chain
 * @param elements elements of each array between two of them
 * @param elementBytes bytes of an element
 */
public record FusionSavings(int kernels, long elements, int elementBytes) {

  /** Checks the ranges. */
  public FusionSavings {
    if (kernels < 1 || elements < 0 || elementBytes < 1) {
      throw new IllegalArgumentException(
          "a chain needs at least 1 kernel and elements of at least 1 byte, not %d, %d, %d"
              .formatted(kernels, elements, elementBytes));
    }
  }

  /** Bytes that are no longer moved: a write and a read for each array between. */
  public long bytes() {
    return Math.multiplyExact(Math.multiplyExact(2L * (kernels - 1), elements), elementBytes);
  }

  /** Launches that are no longer made. */
  public int launches() {
    return kernels - 1;
  }

  /** Microseconds saved on a device with this bandwidth and cost of a launch, at most. */
  public double micros(double bytesPerSecond, double launchMicros) {
    return bytes() / bytesPerSecond * 1e6 + launches() * launchMicros;
  }
}
