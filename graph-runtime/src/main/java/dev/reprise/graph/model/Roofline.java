package dev.reprise.graph.model;

/**
 * The roofline bound: work takes at least the time to move its bytes and at least the time to
 * compute its operations (Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009).
 *
 * @param bytesPerSecond peak bandwidth
 * @param flopsPerSecond peak rate
 */
public record Roofline(double bytesPerSecond, double flopsPerSecond) {

  /** Checks that both peaks are above 0. */
  public Roofline {
    if (!(bytesPerSecond > 0 && flopsPerSecond > 0)) {
      throw new IllegalArgumentException(
          "a roofline needs a bandwidth and a rate above 0, not %s and %s"
              .formatted(bytesPerSecond, flopsPerSecond));
    }
  }

  /** Operations a byte from which on the rate bounds and not the bandwidth. */
  public double ridge() {
    return flopsPerSecond / bytesPerSecond;
  }

  /** Microseconds to move so many bytes. */
  public double bytesMicros(double bytes) {
    return bytes / bytesPerSecond * 1e6;
  }

  /** Microseconds to compute so many operations. */
  public double flopsMicros(double flops) {
    return flops / flopsPerSecond * 1e6;
  }

  /** The bound in microseconds. */
  public double micros(double bytes, double flops) {
    return Math.max(bytesMicros(bytes), flopsMicros(flops));
  }

  /** Whether the bandwidth bounds the work. */
  public boolean boundByBytes(double bytes, double flops) {
    return bytesMicros(bytes) >= flopsMicros(flops);
  }
}
