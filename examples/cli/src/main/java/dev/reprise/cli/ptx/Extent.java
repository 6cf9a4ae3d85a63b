package dev.reprise.cli.ptx;

/**
 * The extent of a grid in blocks or of a block in threads.
 *
 * @param x at least 1
 * @param y at least 1
 * @param z at least 1
 */
public record Extent(int x, int y, int z) {

  /**
   * Reads {@code X}, {@code X,Y} or {@code X,Y,Z}.
   *
   * @param what its name in messages
   * @throws BadCaseException if it is none of these
   */
  public static Extent parse(String what, String text) {
    String[] parts = text.split(",", -1);
    int[] numbers = {1, 1, 1};
    if (parts.length > numbers.length) {
      throw bad(what, text);
    }
    for (int k = 0; k < parts.length; k++) {
      try {
        numbers[k] = Integer.parseInt(parts[k].strip());
      } catch (NumberFormatException e) {
        throw bad(what, text);
      }
      if (numbers[k] < 1) {
        throw bad(what, text);
      }
    }
    return new Extent(numbers[0], numbers[1], numbers[2]);
  }

  private static BadCaseException bad(String what, String text) {
    return new BadCaseException(
        what
            + " must be X, X,Y or X,Y,Z with whole numbers from 1 to 2147483647, such as 4,2; it is"
            + " \""
            + text
            + "\"");
  }
}
