package dev.reprise.cli.text;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes of memory for people. */
public final class ByteSize {
  private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  private static final Pattern SIZE =
      Pattern.compile("([0-9]+)\\s*(|B|KiB|MiB|GiB|TiB)", Pattern.CASE_INSENSITIVE);

  private ByteSize() {}

  /** In the largest binary unit that fits, such as {@code 1.3 MiB}. */
  public static String text(long bytes) {
    double scaled = bytes;
    int unit = 0;
    while (scaled >= 1024 && unit < UNITS.length - 1) {
      scaled /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", scaled, UNITS[unit]);
  }

  /**
   * The bytes of a text such as {@code 49152}, {@code 48KiB} or {@code 2GiB}.
   *
   * @throws IllegalArgumentException if it is none; the message says what would do
   */
  public static long parse(String text) {
    Matcher matcher = SIZE.matcher(text.strip());
    try {
      if (matcher.matches()) {
        long factor =
            switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
              case "kib" -> 1L << 10;
              case "mib" -> 1L << 20;
              case "gib" -> 1L << 30;
              case "tib" -> 1L << 40;
              default -> 1;
            };
        return Math.multiplyExact(Long.parseLong(matcher.group(1)), factor);
      }
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' is more than there can be", e);
    }
    throw new IllegalArgumentException("'" + text + "' is not a size such as 49152, 48KiB or 2GiB");
  }
}
