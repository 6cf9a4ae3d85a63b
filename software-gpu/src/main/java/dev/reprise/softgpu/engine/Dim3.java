package dev.reprise.softgpu.engine;

/** Extent of a grid in blocks or of a block in threads; every part is at least 1. */
public record Dim3(int x, int y, int z) {
  public Dim3 {
    if (x < 1 || y < 1 || z < 1) {
      throw new IllegalArgumentException(
          "every extent must be at least 1: " + x + " x " + y + " x " + z);
    }
  }

  public static Dim3 of(int x) {
    return new Dim3(x, 1, 1);
  }

  /** Number of elements. */
  public long count() {
    return (long) x * y * z;
  }

  @Override
  public String toString() {
    return "(" + x + ", " + y + ", " + z + ")";
  }
}
