package dev.reprise.graph.tune;

/**
 * The lower envelope of the lines {@code intercept − steps · x}, added with steps that never
 * decrease (the convex hull trick). Adding and asking take constant time on average when the x
 * asked for does not jump about.
 */
final class LowerHull {

  private final int[] numbers;
  private final double[] steps;
  private final double[] intercepts;
  private int size;
  private int at;

  LowerHull(int most) {
    numbers = new int[most];
    steps = new double[most];
    intercepts = new double[most];
  }

  /** Forgets all lines. */
  void clear() {
    size = 0;
    at = 0;
  }

  /**
   * Adds a line.
   *
   * @param number what {@link #least} answers for it
   */
  void add(int number, double lineSteps, double intercept) {
    if (size > 0 && steps[size - 1] == lineSteps) {
      if (intercepts[size - 1] <= intercept) {
        return;
      }
      size--;
    }
    while (size > 1 && lastIsCovered(lineSteps, intercept)) {
      size--;
    }
    numbers[size] = number;
    steps[size] = lineSteps;
    intercepts[size] = intercept;
    size++;
    at = Math.min(at, size - 1);
  }

  /** Whether the last line is nowhere below both the one before it and a new one. */
  private boolean lastIsCovered(double lineSteps, double intercept) {
    double first = intercepts[size - 2];
    return (intercept - first) * (steps[size - 1] - steps[size - 2])
        <= (intercepts[size - 1] - first) * (lineSteps - steps[size - 2]);
  }

  /** The number of a line that is least at x; there must be a line. */
  int least(double x) {
    while (at + 1 < size && value(at + 1, x) <= value(at, x)) {
      at++;
    }
    while (at > 0 && value(at - 1, x) < value(at, x)) {
      at--;
    }
    return numbers[at];
  }

  private double value(int index, double x) {
    return intercepts[index] - steps[index] * x;
  }
}
