package dev.reprise.cli.ptx;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Floats as they are written in arguments: decimal, hexadecimal ({@code 0x1p-3}), {@code nan},
 * {@code inf}, or their bits as PTX writes them ({@code 0f3F800000}, {@code 0d3FF0000000000000}).
 */
final class FloatText {
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");
  private static final Pattern HEXADECIMAL =
      Pattern.compile("[+-]?0[xX]([0-9a-fA-F]+\\.?[0-9a-fA-F]*|\\.[0-9a-fA-F]+)[pP][+-]?\\d+");

  private FloatText() {}

  static int bits32(String text, String value) {
    if (value.matches("0[fF][0-9a-fA-F]{8}")) {
      return Integer.parseUnsignedInt(value.substring(2), 16);
    }
    String number = java(text, value);
    float parsed = Float.parseFloat(number);
    checkRange(text, number, Float.isInfinite(parsed));
    return Float.floatToRawIntBits(parsed);
  }

  static long bits64(String text, String value) {
    if (value.matches("0[dD][0-9a-fA-F]{16}")) {
      return Long.parseUnsignedLong(value.substring(2), 16);
    }
    String number = java(text, value);
    double parsed = Double.parseDouble(number);
    checkRange(text, number, Double.isInfinite(parsed));
    return Double.doubleToRawLongBits(parsed);
  }

  /** The number as Java reads it. */
  private static String java(String text, String value) {
    String sign = value.startsWith("-") ? "-" : "";
    String rest = value.startsWith("-") || value.startsWith("+") ? value.substring(1) : value;
    switch (rest.toLowerCase(Locale.ROOT)) {
      case "nan" -> {
        return "NaN";
      }
      case "inf", "infinity" -> {
        return sign + "Infinity";
      }
      default -> {
        if (DECIMAL.matcher(value).matches() || HEXADECIMAL.matcher(value).matches()) {
          return value;
        }
        throw new BadCaseException(
            "\""
                + CaseArgument.cut(text)
                + "\" needs a number such as 1.5, -2e-3, 0x1p-3, nan, inf, or bits as in PTX"
                + " (0f3F800000)");
      }
    }
  }

  private static void checkRange(String text, String number, boolean infinite) {
    if (infinite && !number.endsWith("Infinity")) {
      throw new BadCaseException(
          "\""
              + CaseArgument.cut(text)
              + "\" is too large for its type; write inf if that is meant");
    }
  }
}
