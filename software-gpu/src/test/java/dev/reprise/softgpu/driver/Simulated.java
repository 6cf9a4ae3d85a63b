package dev.reprise.softgpu.driver;

import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.simulation.SimulationSession;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Has a test run in a simulation, with a seed that depends on its name. */
final class Simulated implements BeforeEachCallback, AfterEachCallback {

  private @Nullable SimulationSession session;

  @Override
  public void beforeEach(ExtensionContext context) {
    // The first test of a process may have to load the driver.
    dev.reprise.bindings.cuda.cuda_h.cuInit(0);
    session =
        SoftwareDriver.ofProcess()
            .orElseThrow()
            .simulation()
            .begin(context.getUniqueId().hashCode());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Objects.requireNonNull(session).close();
  }
}
