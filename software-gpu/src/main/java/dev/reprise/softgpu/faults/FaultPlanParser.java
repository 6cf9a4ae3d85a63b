package dev.reprise.softgpu.faults;

import dev.reprise.softgpu.driver.support.Result;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the text form of {@link FaultPlan#parse}. */
final class FaultPlanParser {

  private static final String MEMORY = "memory";
  private static final String WORK = "@work";
  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
  private static final Pattern USES = Pattern.compile("(\\d{1,18})(\\+|-(\\d{1,18}))?");
  private static final Pattern BYTES = Pattern.compile("(\\d{1,18}) ?(KiB|MiB|GiB)?");
  private static final Map<String, Long> UNITS =
      Map.of("KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30);

  private FaultPlanParser() {}

  static FaultPlan parse(String text) {
    List<FaultRule> rules = new ArrayList<>();
    long memory = FaultPlan.NO_LIMIT;
    for (String written : text.split(";", -1)) {
      String part = written.strip();
      if (part.isEmpty()) {
        continue;
      }
      try {
        int equals = part.indexOf('=');
        if (equals < 0) {
          throw new IllegalArgumentException(
              "it must be function#use=code or memory=bytes, such as cuMemAlloc_v2#3=CUDA_ERROR_OUT_OF_MEMORY");
        }
        String left = part.substring(0, equals).strip();
        String right = part.substring(equals + 1).strip();
        if (left.equals(MEMORY)) {
          memory = bytes(right);
        } else {
          rules.add(rule(left, right));
        }
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("'%s': %s".formatted(part, e.getMessage()), e);
      }
    }
    return new FaultPlan(rules, memory);
  }

  private static FaultRule rule(String left, String right) {
    int hash = left.indexOf('#');
    if (hash < 0) {
      throw new IllegalArgumentException(
          "the use is missing: %s#1 is the first call, %s#1+ every call".formatted(left, left));
    }
    String uses = left.substring(hash + 1).strip();
    Matcher matcher = USES.matcher(uses);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'%s' tells no uses; write 3 for the third, 3+ for all from the third on, 3-5 for the third to the fifth"
              .formatted(uses));
    }
    long first = Long.parseLong(matcher.group(1));
    String end = matcher.group(2);
    long last =
        end == null ? first : end.equals("+") ? Long.MAX_VALUE : Long.parseLong(matcher.group(3));
    boolean work = right.endsWith(WORK);
    String code = work ? right.substring(0, right.length() - WORK.length()).strip() : right;
    return new FaultRule(
        left.substring(0, hash).strip(),
        first,
        last,
        code(code),
        work ? FaultRule.What.WORK : FaultRule.What.CALL);
  }

  private static int code(String text) {
    if (NUMBER.matcher(text).matches()) {
      // A number too large for an int is no code either; the rule says so of any that is none.
      return (int) Math.min(Integer.MAX_VALUE, Long.parseLong(text));
    }
    return Arrays.stream(Result.values())
        .filter(result -> result.constant().equals(text))
        .findAny()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "'%s' is no code; write a constant of CUresult such as CUDA_ERROR_OUT_OF_MEMORY, or its number"
                    .formatted(text)))
        .code();
  }

  private static long bytes(String text) {
    Matcher matcher = BYTES.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'%s' is no size; write bytes as a whole number, or with a unit as in 64MiB"
              .formatted(text));
    }
    String unit = matcher.group(2);
    try {
      return Math.multiplyExact(
          Long.parseLong(matcher.group(1)), unit == null ? 1L : UNITS.getOrDefault(unit, 1L));
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("%s are more bytes than fit a long".formatted(text), e);
    }
  }
}
