package dev.reprise.graph.simulation;

import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.sanitizer.Report;
import java.util.List;
import java.util.Optional;
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
    check(context.getDisplayName());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    check(context.getDisplayName());
  }

  private static void check(String test) {
    Optional<SoftwareDriver> driver = SoftwareDriver.ofProcess();
    if (driver.isEmpty()) {
      return;
    }
    List<String> reports = driver.get().sanitizer().reports().stream().map(Report::text).toList();
    driver.get().sanitizer().clear();
    if (!reports.isEmpty()) {
      throw new AssertionError(
          test + " is reported by the sanitizer:\n" + String.join("\n", reports));
    }
  }
}
