package dev.reprise.softgpu.engine;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * Small floating-point formats by their definition, one code after the other: sign, exponent,
 * fraction. What tests compare the engine with.
 *
 * @param largest code of the largest finite number, without sign
 * @param nan code of the NaN that results are, or {@code largest} where the format has none
 */
record SmallFloat(int exponentBits, int fractionBits, int bias, int largest, int nan) {

  static SmallFloat of(String name) {
    return switch (name) {
      case "f16" -> new SmallFloat(5, 10, 15, 0x7bff, 0x7fff);
      case "bf16" -> new SmallFloat(8, 7, 127, 0x7f7f, 0x7fff);
      case "e4m3" -> new SmallFloat(4, 3, 7, 0x7e, 0x7f);
      case "e5m2" -> new SmallFloat(5, 2, 15, 0x7b, 0x7f);
      case "e3m2" -> new SmallFloat(3, 2, 3, 0x1f, 0x1f);
      case "e2m3" -> new SmallFloat(2, 3, 1, 0x1f, 0x1f);
      case "e2m1" -> new SmallFloat(2, 1, 1, 0x7, 0x7);
      default -> throw new IllegalArgumentException(name);
    };
  }

  int sign() {
    return 1 << exponentBits + fractionBits;
  }

  /** The size of a code without sign; beyond the largest as if exponents went on. */
  double size(int code) {
    int fraction = code & (1 << fractionBits) - 1;
    int exponent = code >> fractionBits;
    return exponent == 0
        ? fraction * Math.pow(2, 1 - bias - fractionBits)
        : (1 + fraction * Math.pow(2, -fractionBits)) * Math.pow(2, exponent - bias);
  }

  /** The value of a code, NaN and infinity included. */
  double value(int code) {
    int bits = code & sign() - 1;
    double v = size(bits);
    if (bits > largest) {
      boolean infinite = (bits & (1 << fractionBits) - 1) == 0;
      v = infinite ? Double.POSITIVE_INFINITY : Double.NaN;
    }
    return (code & sign()) != 0 ? -v : v;
  }

  /** The greatest code that is not above a size; at most the largest. */
  int below(BigDecimal size) {
    int low = 0;
    int high = largest;
    while (low < high) {
      int middle = (low + high + 1) / 2;
      if (new BigDecimal(size(middle)).compareTo(size) <= 0) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** The code nearest to a value, ties to even; one above the largest is an infinity. */
  int nearest(BigDecimal v) {
    BigDecimal size = v.abs();
    int code = below(size);
    BigDecimal middle =
        new BigDecimal(size(code)).add(new BigDecimal(size(code + 1))).divide(BigDecimal.TWO);
    int side = size.compareTo(middle);
    boolean up = side > 0 || side == 0 && code % 2 != 0;
    return (v.signum() < 0 ? sign() : 0) | code + (up ? 1 : 0);
  }

  /** The code that a value other than zero rounds to. */
  int round(BigDecimal v, RoundingMode mode) {
    if (mode == RoundingMode.HALF_EVEN) {
      return nearest(v);
    }
    BigDecimal size = v.abs();
    int code = below(size);
    boolean away = mode == (v.signum() < 0 ? RoundingMode.FLOOR : RoundingMode.CEILING);
    boolean exact = size.compareTo(new BigDecimal(size(code))) == 0;
    return (v.signum() < 0 ? sign() : 0) | code + (away && !exact ? 1 : 0);
  }
}
