package dev.reprise.cli.measure;

import java.util.Locale;

/** Numbers for people, to three or four digits. */
public final class Numbers {

  private Numbers() {}

  /** A text, number or flag. */
  public static String text(Object value) {
    return switch (value) {
      case Double number -> text(number.doubleValue());
      case Boolean flag -> flag ? "yes" : "no";
      default -> value.toString();
    };
  }

  /** A number; a dash for NaN. */
  public static String text(double value) {
    double size = Math.abs(value);
    if (Double.isNaN(value)) {
      return "–";
    }
    if (Double.isInfinite(value) || value == 0) {
      return value == 0 ? "0" : Double.toString(value);
    }
    String format = size >= 1000 ? "%.0f" : size >= 100 ? "%.1f" : size >= 0.01 ? "%.3f" : "%.2e";
    return String.format(Locale.ROOT, size >= 10 && size < 100 ? "%.2f" : format, value);
  }

  /** A median with its interval. */
  public static String text(Summary summary) {
    return "%s [%s, %s]"
        .formatted(text(summary.median()), text(summary.low()), text(summary.high()));
  }
}
