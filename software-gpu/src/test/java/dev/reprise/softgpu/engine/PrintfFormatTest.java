package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.engine.exec.PrintfFormat;
import java.util.ArrayDeque;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Formats against what the C library of Linux prints. */
final class PrintfFormatTest {
  private static PrintfFormat.Values values(List<?> all) {
    ArrayDeque<Object> rest = new ArrayDeque<>(all);
    return new PrintfFormat.Values() {
      @Override
      public int nextInt() {
        return ((Number) rest.remove()).intValue();
      }

      @Override
      public long nextLong() {
        return ((Number) rest.remove()).longValue();
      }

      @Override
      public double nextDouble() {
        return ((Number) rest.remove()).doubleValue();
      }

      @Override
      public String nextString() {
        return rest.remove().toString();
      }
    };
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "%d|-5|-5",
        "%+05d|42|+0042",
        "%-6d.|42|42    .",
        "%6.3d|7|   007",
        "% i|7| 7",
        "%u|-1|4294967295",
        "%hhd|300|44",
        "%#x|255|0xff",
        "%08X|48879|0000BEEF",
        "%#o|8|010",
        "%lld|9007199254740992|9007199254740992",
        "%c|65|A",
        "%5c|66|    B",
        "%f|3.14159265|3.141593",
        "%.0f|2.5|2",
        "%.0f|3.5|4",
        "%#.0f|2|2.",
        "%010.3f|-2.5|-00002.500",
        "%e|12345.678|1.234568e+04",
        "%.2E|0.00012|1.20E-04",
        "%e|0|0.000000e+00",
        "%g|0.0001|0.0001",
        "%g|0.00001|1e-05",
        "%g|1000000|1e+06",
        "%g|123456|123456",
        "%.3g|1234.5|1.23e+03",
        "%G|1e-10|1E-10",
        "%.10g|0.1|0.1",
        "%a|1|0x1p+0",
        "%f|NaN|nan",
        "%5.1f|Infinity|  inf",
        "%%|0|%",
      })
  void printsAsC(String format, double value, String want) {
    assertThat(PrintfFormat.apply(format, values(List.of(value)))).isEqualTo(want);
  }

  @ParameterizedTest
  @CsvSource({"%-5s|,ab,ab   |", "%.2s,abcdef,ab", "%-4.1s.,xyz,x   .", "%s %y,ab,ab %y"})
  void printsStrings(String format, String value, String want) {
    assertThat(PrintfFormat.apply(format, values(List.of(value)))).isEqualTo(want);
  }
}
