package dev.reprise.softgpu.junit;

import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.sanitizer.Report;
import dev.reprise.softgpu.sanitizer.ReportKind;
import dev.reprise.softgpu.sanitizer.Sanitizer;
import dev.reprise.softgpu.sanitizer.SanitizerOptions;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets each test fail of which the sanitizer has something to report, at whatever level it looks,
 * unless the test says that it makes the mistake on purpose, see {@link PlantedMistake}. What comes
 * after the last test of a class, such as leaks when its device is closed, fails the class.
 *
 * <p>Tests must not run at the same time in one process: reports are not told apart by test. With
 * {@code junit.jupiter.extensions.autodetection.enabled=true} it is registered for all tests.
 */
public final class NoReports implements AfterEachCallback, AfterAllCallback {

  /** For JUnit. */
  public NoReports() {}

  @Override
  public void afterEach(ExtensionContext context) {
    check(
        context.getTestClass().map(Class::getSimpleName).orElse("?")
            + "."
            + context.getTestMethod().map(method -> method.getName()).orElse("?")
            + ", "
            + context.getDisplayName(),
        planted(context));
  }

  @Override
  public void afterAll(ExtensionContext context) {
    check(context.getDisplayName(), Map.of());
  }

  private static Map<ReportKind, Integer> planted(ExtensionContext context) {
    Optional<AnnotatedElement> test = context.getElement();
    Map<ReportKind, Integer> planted = new EnumMap<>(ReportKind.class);
    test.stream()
        .flatMap(element -> Stream.of(element.getAnnotationsByType(PlantedMistake.class)))
        .filter(mistake -> context.getDisplayName().contains(mistake.invocation()))
        .sorted(Comparator.comparingInt(mistake -> mistake.invocation().length()))
        .forEach(mistake -> planted.put(mistake.kind(), mistake.reports()));
    return planted;
  }

  private static void check(String test, Map<ReportKind, Integer> planted) {
    Optional<SoftwareDriver> driver = SoftwareDriver.ofProcess();
    if (driver.isEmpty()) {
      return;
    }
    Sanitizer sanitizer = driver.get().sanitizer();
    Map<ReportKind, Integer> found = counts(sanitizer);
    List<Report> reports = sanitizer.reports();
    sanitizer.clear();
    String wrong = difference(found, planted, sanitizer.options());
    if (!wrong.isEmpty()) {
      List<String> texts = reports.stream().map(Report::text).toList();
      throw new AssertionError(
          "%s: %s\n%s".formatted(test, wrong, String.join("\n", texts)).strip());
    }
  }

  private static Map<ReportKind, Integer> counts(Sanitizer sanitizer) {
    Map<ReportKind, Integer> found = new EnumMap<>(ReportKind.class);
    for (ReportKind kind : ReportKind.values()) {
      found.put(kind, Math.toIntExact(sanitizer.count(kind)));
    }
    return found;
  }

  /** How what was found differs from what was planted and is looked for; empty if it does not. */
  static String difference(
      Map<ReportKind, Integer> found, Map<ReportKind, Integer> planted, SanitizerOptions options) {
    List<String> wrong = new ArrayList<>();
    for (ReportKind kind : ReportKind.values()) {
      int there = found.getOrDefault(kind, 0);
      int wanted = options.wants(kind) ? planted.getOrDefault(kind, 0) : 0;
      if (there != wanted) {
        wrong.add(
            "%d reports of kind %s by the sanitizer, of which %d are planted"
                .formatted(there, kind.text(), wanted));
      }
    }
    return String.join("; ", wrong);
  }
}
