package planted;

/** A product of integers that overflows before it becomes the size of a buffer. */
public final class NarrowProduct {
  private NarrowProduct() {}

  static long bytes(int rows, int columns) {
    return widened(rows * columns);
  }

  private static long widened(long value) {
    return value;
  }
}
