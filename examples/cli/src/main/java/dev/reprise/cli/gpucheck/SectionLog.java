package dev.reprise.cli.gpucheck;

import dev.reprise.cli.gpucheck.SectionReport.Check;
import dev.reprise.cli.gpucheck.SectionReport.Fact;
import dev.reprise.cli.gpucheck.SectionReport.Status;
import dev.reprise.cli.measure.Table;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes down what a section finds; what was found before it broke off is kept. */
final class SectionLog {

  private final List<String> headlines = new ArrayList<>();
  private final List<Fact> facts = new ArrayList<>();
  private final List<Check> checks = new ArrayList<>();
  private final List<Table> tables = new ArrayList<>();

  void headline(String text) {
    headlines.add(text);
  }

  void fact(String key, String title, Object value) {
    facts.add(new Fact(key, title, value));
  }

  void check(String name, boolean passed, String detail) {
    checks.add(new Check(name, passed, detail));
  }

  Table table(String key, String title, Table.Column... columns) {
    return add(new Table(key, title, columns));
  }

  Table add(Table table) {
    tables.add(table);
    return table;
  }

  long checks() {
    return checks.size();
  }

  long passed() {
    return checks.stream().filter(Check::passed).count();
  }

  SectionReport report(Section section, double seconds, @Nullable String error) {
    Status status =
        error != null ? Status.ERROR : passed() == checks() ? Status.PASSED : Status.FAILED;
    return new SectionReport(
        section.key(),
        section.title(),
        section.timed(),
        status,
        seconds,
        error,
        List.copyOf(headlines),
        List.copyOf(facts),
        List.copyOf(checks),
        List.copyOf(tables));
  }
}
