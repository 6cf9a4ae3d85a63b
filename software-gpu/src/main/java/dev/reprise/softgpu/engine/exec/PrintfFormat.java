package dev.reprise.softgpu.engine.exec;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code printf} as C defines it, for the conversions that CUDA has. */
public final class PrintfFormat {
  private static final Pattern CONVERSION =
      Pattern.compile(
          "%([-+ #0]*)(\\*|\\d{1,4})?(?:\\.(\\*|\\d{0,4}))?(hh|h|ll|l|j|z|t|L)?([a-zA-Z%])");

  /** Widths and precisions beyond this are cut. */
  private static final int WIDEST = 4096;

  /** The values to print, in order. */
  public interface Values {
    int nextInt();

    long nextLong();

    double nextDouble();

    String nextString();
  }

  private PrintfFormat() {}

  /** The text; a conversion that does not exist is printed as it is. */
  public static String apply(String format, Values values) {
    StringBuilder out = new StringBuilder();
    Matcher m = CONVERSION.matcher(format);
    int from = 0;
    while (m.find(from)) {
      out.append(format, from, m.start());
      from = m.end();
      String flags = m.group(1);
      int width = number(m.group(2), values, 0);
      if (width < 0) {
        flags += "-";
        width = -width;
      }
      int precision = number(m.group(3), values, -1);
      String length = m.group(4) == null ? "" : m.group(4);
      char type = m.group(5).charAt(0);
      if (type == '%') {
        out.append('%');
        continue;
      }
      boolean wide =
          length.equals("l") || length.equals("ll") || "jzt".contains(length) && !length.isEmpty();
      String text =
          switch (type) {
            case 'd', 'i' ->
                signed(
                    small(length, wide ? values.nextLong() : values.nextInt()), flags, precision);
            case 'u' -> unsigned(wide, length, values, 10, flags, precision);
            case 'o' -> unsigned(wide, length, values, 8, flags, precision);
            case 'x' -> unsigned(wide, length, values, 16, flags, precision);
            case 'X' ->
                unsigned(wide, length, values, 16, flags, precision).toUpperCase(Locale.ROOT);
            case 'c' -> String.valueOf((char) (values.nextInt() & 0xff));
            case 's' -> cut(values.nextString(), precision);
            case 'p' -> "0x" + Long.toHexString(values.nextLong());
            case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A' ->
                real(type, values.nextDouble(), flags, precision);
            default -> m.group();
          };
      boolean numeric = "diuoxXfFeEgGaA".indexOf(type) >= 0;
      boolean zeros =
          numeric
              && flags.contains("0")
              && (precision < 0 || "fFeEgGaA".indexOf(type) >= 0)
              && !text.endsWith("nan")
              && !text.endsWith("inf");
      out.append(pad(text, flags, width, zeros));
    }
    return out.append(format, from, format.length()).toString();
  }

  private static int number(String text, Values values, int none) {
    if (text == null) {
      return none;
    }
    int v = text.equals("*") ? values.nextInt() : text.isEmpty() ? 0 : Integer.parseInt(text);
    return Math.clamp(v, -WIDEST, WIDEST);
  }

  private static long small(String length, long v) {
    return length.equals("hh") ? (byte) v : length.equals("h") ? (short) v : v;
  }

  private static String digits(String digits, int precision) {
    if (precision == 0 && digits.equals("0")) {
      return "";
    }
    return "0".repeat(Math.max(0, precision - digits.length())) + digits;
  }

  private static String sign(boolean negative, String flags) {
    return negative ? "-" : flags.contains("+") ? "+" : flags.contains(" ") ? " " : "";
  }

  private static String signed(long v, String flags, int precision) {
    String digits = Long.toString(v);
    return sign(v < 0, flags) + digits(v < 0 ? digits.substring(1) : digits, precision);
  }

  private static String unsigned(
      boolean wide, String length, Values values, int radix, String flags, int precision) {
    long v =
        wide
            ? values.nextLong()
            : values.nextInt()
                & (length.equals("hh") ? 0xffL : length.equals("h") ? 0xffffL : 0xffff_ffffL);
    String text = digits(Long.toUnsignedString(v, radix), precision);
    if (!flags.contains("#") || v == 0) {
      return text;
    }
    return radix == 16 ? "0x" + text : radix == 8 && !text.startsWith("0") ? "0" + text : text;
  }

  private static String cut(String text, int precision) {
    return precision < 0 || precision >= text.length() ? text : text.substring(0, precision);
  }

  private static String pad(String text, String flags, int width, boolean zeros) {
    int missing = width - text.length();
    if (missing <= 0) {
      return text;
    }
    if (flags.contains("-")) {
      return text + " ".repeat(missing);
    }
    if (!zeros) {
      return " ".repeat(missing) + text;
    }
    int head =
        text.startsWith("0x") || text.startsWith("0X")
            ? 2
            : "+- ".indexOf(text.charAt(0)) >= 0 ? 1 : 0;
    return text.substring(0, head) + "0".repeat(missing) + text.substring(head);
  }

  private static String real(char type, double v, String flags, int precision) {
    boolean negative = Double.doubleToRawLongBits(v) < 0;
    String sign = sign(negative && !Double.isNaN(v), flags);
    String text;
    if (Double.isNaN(v) || Double.isInfinite(v)) {
      text = Double.isNaN(v) ? "nan" : "inf";
    } else {
      double size = Math.abs(v);
      boolean point = flags.contains("#");
      text =
          switch (Character.toLowerCase(type)) {
            case 'f' -> fixed(size, precision < 0 ? 6 : precision, point);
            case 'e' -> scientific(size, precision < 0 ? 6 : precision, point);
            case 'g' -> general(size, precision < 0 ? 6 : Math.max(precision, 1), point);
            default -> hexadecimal(size);
          };
    }
    return sign + (Character.isUpperCase(type) ? text.toUpperCase(Locale.ROOT) : text);
  }

  private static String fixed(double v, int precision, boolean point) {
    String text = new BigDecimal(v).setScale(precision, RoundingMode.HALF_EVEN).toPlainString();
    return point && precision == 0 ? text + "." : text;
  }

  private static String scientific(double v, int precision, boolean point) {
    BigDecimal exact =
        v == 0
            ? BigDecimal.ZERO
            : new BigDecimal(v).round(new MathContext(precision + 1, RoundingMode.HALF_EVEN));
    int exponent = v == 0 ? 0 : exact.precision() - exact.scale() - 1;
    String mantissa =
        exact.movePointLeft(exponent).setScale(precision, RoundingMode.HALF_EVEN).toPlainString();
    return mantissa
        + (point && precision == 0 ? "." : "")
        + (exponent < 0 ? "e-" : "e+")
        + (Math.abs(exponent) < 10 ? "0" : "")
        + Math.abs(exponent);
  }

  private static String general(double v, int precision, boolean point) {
    String trial = scientific(v, precision - 1, false);
    int exponent = Integer.parseInt(trial.substring(trial.indexOf('e') + 1));
    boolean plain = exponent >= -4 && exponent < precision;
    String text =
        plain ? fixed(v, precision - 1 - exponent, point) : scientific(v, precision - 1, point);
    if (point) {
      return text;
    }
    int end = plain ? text.length() : text.indexOf('e');
    String head = text.substring(0, end);
    if (head.contains(".")) {
      head = head.replaceAll("0+$", "").replaceAll("\\.$", "");
    }
    return head + text.substring(end);
  }

  private static String hexadecimal(double v) {
    String text = Double.toHexString(v).replace(".0p", "p");
    int at = text.indexOf('p');
    return text.substring(0, at + 1)
        + (text.charAt(at + 1) == '-' ? "" : "+")
        + text.substring(at + 1);
  }
}
