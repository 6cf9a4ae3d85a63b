package dev.reprise.graph.simulation;

import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.sanitizer.Report;
import dev.reprise.softgpu.sanitizer.ReportKind;
import java.lang.reflect.AnnotatedElement;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets each test fail of which the sanitizer has something to report, at whatever level it looks;
 * registered for all tests of the module. What comes after the last test of a class, such as leaks
 * when its device is closed, fails the class.
 */
public final class NoReports implements AfterEachCallback, AfterAllCallback {

  @Override
  public void afterEach(ExtensionContext context) {
    check(context.getElement(), context.getDisplayName());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    check(Optional.empty(), context.getDisplayName());
  }

  private static void check(Optional<AnnotatedElement> test, String name) {
    Optional<SoftwareDriver> driver = SoftwareDriver.ofProcess();
    if (driver.isEmpty()) {
      return;
    }
    Set<ReportKind> expected =
        test.map(element -> element.getAnnotation(ReportsExpected.class))
            .map(annotation -> Set.of(annotation.value()))
            .orElse(Set.of());
    List<Report> reports = driver.get().sanitizer().reports();
    driver.get().sanitizer().clear();
    List<String> unexpected =
        reports.stream()
            .filter(report -> !expected.contains(report.kind()))
            .map(Report::text)
            .toList();
    if (!unexpected.isEmpty()) {
      throw new AssertionError(
          unexpected.stream()
              .collect(Collectors.joining("\n", name + " is reported by the sanitizer:\n", "")));
    }
  }
}
