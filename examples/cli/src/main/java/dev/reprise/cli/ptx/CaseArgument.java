package dev.reprise.cli.ptx;

import dev.reprise.cli.text.Nearest;
import java.math.BigInteger;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** An argument of a kernel as it is written: {@code in:HEX}, {@code u32:7} and so on. */
public sealed interface CaseArgument {

  /** What is written for an argument, in a line. */
  String FORMS = "in:HEX, out:BYTES, inout:HEX, i32:N, u32:N, i64:N, u64:N, f32:X or f64:X";

  /** Bytes in the parameter list of the kernel. */
  int size();

  /** The argument as it was written, cut where it is long. */
  String shown();

  /**
   * Device memory; its address is passed, and null where it has no bytes.
   *
   * @param kind {@code in}, {@code out} or {@code inout}
   * @param bytes what it holds before the launch
   */
  record Memory(String kind, byte[] bytes) implements CaseArgument {

    /** Whether the bytes are wanted after the launch. */
    public boolean output() {
      return !kind.equals("in");
    }

    @Override
    public int size() {
      return Long.BYTES;
    }

    @Override
    public String shown() {
      return kind + ": of " + bytes.length + " bytes";
    }
  }

  /**
   * A value.
   *
   * @param type such as {@code u32}
   * @param size 4 or 8
   * @param bits in the low bytes
   */
  record Value(String type, int size, long bits, String shown) implements CaseArgument {}

  /**
   * Reads an argument.
   *
   * @throws BadCaseException if it is none
   */
  static CaseArgument parse(String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw new BadCaseException("\"" + cut(text) + "\" is no argument; write " + FORMS);
    }
    String kind = text.substring(0, colon).strip();
    String value = text.substring(colon + 1).strip();
    return switch (kind) {
      case "in", "inout" -> new Memory(kind, hex(text, value));
      case "out" -> new Memory(kind, new byte[length(text, value)]);
      case "i32" -> new Value(kind, 4, integer(text, value, 32, true), cut(text));
      case "u32" -> new Value(kind, 4, integer(text, value, 32, false), cut(text));
      case "i64" -> new Value(kind, 8, integer(text, value, 64, true), cut(text));
      case "u64" -> new Value(kind, 8, integer(text, value, 64, false), cut(text));
      case "f32" -> new Value(kind, 4, FloatText.bits32(text, value), cut(text));
      case "f64" -> new Value(kind, 8, FloatText.bits64(text, value), cut(text));
      default -> {
        Optional<String> near =
            Nearest.to(
                kind, List.of("in", "out", "inout", "i32", "u32", "i64", "u64", "f32", "f64"));
        throw new BadCaseException(
            "\""
                + cut(text)
                + "\": there is no kind of argument \""
                + cut(kind)
                + "\""
                + near.map(n -> ", did you mean " + n + "?").orElse("")
                + "; write "
                + FORMS);
      }
    };
  }

  private static byte[] hex(String text, String value) {
    if (value.length() % 2 != 0) {
      throw new BadCaseException(
          "\""
              + cut(text)
              + "\": two hex digits make a byte, and these are "
              + value.length()
              + ", an odd number");
    }
    for (int k = 0; k < value.length(); k++) {
      if (!HexFormat.isHexDigit(value.charAt(k))) {
        throw new BadCaseException(
            "\""
                + cut(text)
                + "\": '"
                + value.charAt(k)
                + "' at digit "
                + (k + 1)
                + " is no hex digit");
      }
    }
    return HexFormat.of().parseHex(value);
  }

  private static int length(String text, String value) {
    try {
      int bytes = Integer.parseInt(value);
      if (bytes >= 0 && bytes <= 1 << 30) {
        return bytes;
      }
    } catch (NumberFormatException e) {
      throw badLength(text);
    }
    throw badLength(text);
  }

  private static BadCaseException badLength(String text) {
    return new BadCaseException(
        "\"" + cut(text) + "\" needs a number of bytes from 0 to 1073741824, such as out:64");
  }

  private static long integer(String text, String value, int bits, boolean signed) {
    boolean negative = value.startsWith("-");
    String digits = negative || value.startsWith("+") ? value.substring(1) : value;
    boolean hex = digits.toLowerCase(Locale.ROOT).startsWith("0x");
    BigInteger number;
    try {
      number = hex ? new BigInteger(digits.substring(2), 16) : new BigInteger(digits);
    } catch (NumberFormatException e) {
      throw new BadCaseException(
          "\"" + cut(text) + "\" needs a whole number, such as -1 or 0xff", e);
    }
    if (digits.startsWith("-", hex ? 2 : 0) || digits.startsWith("+", hex ? 2 : 0)) {
      throw new BadCaseException("\"" + cut(text) + "\" has two signs");
    }
    if (negative) {
      number = number.negate();
    }
    BigInteger one = BigInteger.ONE;
    BigInteger least = signed ? one.shiftLeft(bits - 1).negate() : BigInteger.ZERO;
    // Hex digits are bits: 0xffffffff is the i32 of that pattern.
    BigInteger most = one.shiftLeft(signed && !(hex && !negative) ? bits - 1 : bits).subtract(one);
    if (number.compareTo(least) < 0 || number.compareTo(most) > 0) {
      throw new BadCaseException("\"" + cut(text) + "\" is outside " + least + " to " + most);
    }
    return number.longValue();
  }

  /** At most 40 letters of it. */
  static String cut(String text) {
    return text.length() <= 40 ? text : text.substring(0, 39) + "…";
  }
}
