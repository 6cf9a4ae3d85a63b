package dev.reprise.softgpu.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every rule of {@code rules.md} has tests, which exist. */
class DriverRulesTest {

  private static final int SECTIONS = 8;
  private static final Pattern ROW = Pattern.compile("\\| (B\\d+\\.\\d+) \\| (.+) \\| ([^|]*) \\|");
  private static final Pattern TEST = Pattern.compile("`([\\w.]+)#(\\w+)`");

  record Rule(String row, String text, List<String> tests) {
    @Override
    public String toString() {
      return row + " " + text;
    }
  }

  static List<Rule> rules() {
    List<Rule> rules = new ArrayList<>();
    for (String line : DriverTest.text("rules.md").split("\n")) {
      if (!line.startsWith("| B")) {
        continue;
      }
      Matcher row = ROW.matcher(line);
      assertThat(row.matches()).as("a row: " + line).isTrue();
      List<String> tests = new ArrayList<>();
      Matcher test = TEST.matcher(row.group(3));
      while (test.find()) {
        tests.add(test.group(1) + "#" + test.group(2));
      }
      assertThat(row.group(3).split(" ")).as(line).hasSameSizeAs(tests.toArray());
      rules.add(new Rule(row.group(1), row.group(2), tests));
    }
    return rules;
  }

  @ParameterizedTest
  @MethodSource("rules")
  void hasTestsThatExist(Rule rule) throws ClassNotFoundException {
    assertThat(rule.tests()).isNotEmpty();
    for (String test : rule.tests()) {
      String[] part = test.split("#");
      String inPackage = part[0].contains(".") ? part[0] : "driver." + part[0];
      Class<?> owner = Class.forName("dev.reprise.softgpu." + inPackage);
      assertThat(methods(owner, part[1])).as(test).anyMatch(DriverRulesTest::isTest);
    }
  }

  private static List<Method> methods(Class<?> owner, String name) {
    return Stream.of(owner.getDeclaredMethods())
        .filter(method -> method.getName().equals(name))
        .toList();
  }

  private static boolean isTest(Method method) {
    return method.isAnnotationPresent(Test.class)
        || method.isAnnotationPresent(ParameterizedTest.class);
  }

  @Test
  void rowsAreNumberedThroughInEverySection() {
    Map<String, Integer> rows = new LinkedHashMap<>();
    for (Rule rule : rules()) {
      String[] number = rule.row().split("\\.");
      int expected = rows.merge(number[0], 1, Integer::sum);
      assertThat(rule.row()).isEqualTo(number[0] + "." + expected);
    }
    assertThat(rows.keySet())
        .containsExactly(
            Stream.iterate(1, n -> n + 1).limit(SECTIONS).map(n -> "B" + n).toArray(String[]::new));
  }
}
