package dev.reprise.cuda;

/**
 * The compute capability of a device, such as 9.0 for Hopper.
 *
 * @param major the architecture
 * @param minor the variant within it
 */
public record ComputeCapability(int major, int minor) implements Comparable<ComputeCapability> {

  /** Whether a device of this capability runs PTX made for {@code other}. */
  public boolean isAtLeast(ComputeCapability other) {
    return compareTo(other) >= 0;
  }

  @Override
  public int compareTo(ComputeCapability other) {
    int byMajor = Integer.compare(major, other.major);
    return byMajor != 0 ? byMajor : Integer.compare(minor, other.minor);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
