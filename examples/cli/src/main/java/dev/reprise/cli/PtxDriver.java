package dev.reprise.cli;

import dev.reprise.bindings.DriverLibrary;

/** The driver of the {@code ptx} commands. */
final class PtxDriver {
  /** Logs each fault as an error; these commands report it themselves. */
  private static final String FAULT_LOG =
      "org.slf4j.simpleLogger.log.dev.reprise.softgpu.driver.context.Context";

  private PtxDriver() {}

  /**
   * Chooses the driver of the process, if it has none yet.
   *
   * @param verbose whether the driver may log faults too
   */
  static void use(String choice, boolean verbose) {
    if (!verbose) {
      System.setProperty(FAULT_LOG, "off");
    }
    try {
      DriverLibrary.use(choice);
    } catch (IllegalStateException e) {
      boolean software = DriverLibrary.current().kind() == DriverLibrary.Kind.SOFTWARE;
      if (!(software && choice.equals("software"))) {
        throw e;
      }
    }
  }
}
