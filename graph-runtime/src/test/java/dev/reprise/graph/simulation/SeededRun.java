package dev.reprise.graph.simulation;

import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import com.sun.management.OperatingSystemMXBean;
import dev.reprise.cuda.Device;
import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.junit.NoReports;
import dev.reprise.softgpu.simulation.SimulationSession;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes once in this process with the schedules of one seed. Each test fails on a
 * report too, by {@link NoReports}.
 *
 * @param seed the seed
 * @param tests how many tests ran
 * @param cpuMillis processor time that the process took meanwhile
 * @param failures name and message of each that failed
 */
record SeededRun(long seed, long tests, long cpuMillis, List<String> failures) {

  private static final OperatingSystemMXBean PROCESS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  /**
   * @param classes a regular expression of the full names of the test classes
   */
  static SeededRun of(long seed, String classes) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectPackage("dev.reprise"))
            .filters(includeClassNamePatterns(classes))
            .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true")
            .build();
    Launcher launcher = LauncherFactory.create();
    Counting counting = new Counting();
    long before = PROCESS.getProcessCpuTime();
    try (SimulationSession session = driver().simulation().begin(seed)) {
      launcher.execute(request, counting);
      long millis = (PROCESS.getProcessCpuTime() - before) / 1_000_000;
      return new SeededRun(session.seed(), counting.tests, millis, List.copyOf(counting.failures));
    }
  }

  private static SoftwareDriver driver() {
    // Opening a device loads the driver where nothing has yet.
    try (Device device = Device.open(0)) {
      return SoftwareDriver.ofProcess()
          .orElseThrow(() -> new IllegalStateException(device + " is no software GPU"));
    }
  }

  private static final class Counting implements TestExecutionListener {
    private final List<String> failures = new ArrayList<>();
    private long tests;

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (test.isTest()) {
        tests++;
      }
      if (result.getStatus() == Status.FAILED) {
        failures.add(
            test.getUniqueId() + ": " + result.getThrowable().map(Throwable::toString).orElse("?"));
      }
    }
  }
}
