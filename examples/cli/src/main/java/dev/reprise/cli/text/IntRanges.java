package dev.reprise.cli.text;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lists of whole numbers as options give them: {@code 16,64}, {@code 1-4} for 1, 2, 3, 4, {@code
 * 16-64+16} for steps, {@code 1-8*2} for factors. A range holds no number beyond its end.
 */
public final class IntRanges {

  private static final int MOST_NUMBERS = 1000;
  private static final Pattern ITEM =
      Pattern.compile("([0-9]{1,9})(?:-([0-9]{1,9})(?:([+*])([0-9]{1,9}))?)?");

  private IntRanges() {}

  /**
   * The numbers, each once, in the order in which they are first named.
   *
   * @param flag the option, for the message
   * @param least the smallest number allowed
   * @param most the largest
   * @throws IllegalArgumentException saying in one line what is wrong and what would do
   */
  public static List<Integer> parse(String flag, String text, int least, int most) {
    Set<Integer> numbers = new LinkedHashSet<>();
    for (String item : text.split(",", -1)) {
      Matcher matcher = ITEM.matcher(item.strip());
      if (!matcher.matches()) {
        throw wrong(flag, text, "\"%s\" is no number and no range".formatted(item.strip()));
      }
      int first = Integer.parseInt(matcher.group(1));
      int last = matcher.group(2) == null ? first : Integer.parseInt(matcher.group(2));
      boolean factor = "*".equals(matcher.group(3));
      int by = matcher.group(4) == null ? 1 : Integer.parseInt(matcher.group(4));
      if (first < least || last > most || last < least || first > most) {
        throw wrong(flag, text, "numbers go from %d to %d".formatted(least, most));
      }
      if (last < first) {
        throw wrong(flag, text, "%d is after %d".formatted(first, last));
      }
      if (by < (factor ? 2 : 1)) {
        throw wrong(flag, text, factor ? "a factor must be 2 or more" : "a step must be 1 or more");
      }
      for (long n = first; n <= last; n = factor ? n * by : n + by) {
        numbers.add((int) n);
        if (numbers.size() > MOST_NUMBERS) {
          throw wrong(flag, text, "that is more than %d numbers".formatted(MOST_NUMBERS));
        }
      }
    }
    return List.copyOf(new ArrayList<>(numbers));
  }

  private static IllegalArgumentException wrong(String flag, String text, String problem) {
    return new IllegalArgumentException(
        "%s must be numbers such as 16,64 or 1-4 or 16-64+16 or 1-8*2; in \"%s\" %s"
            .formatted(flag, text, problem));
  }
}
