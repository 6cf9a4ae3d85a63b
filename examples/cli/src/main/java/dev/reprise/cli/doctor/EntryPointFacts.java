package dev.reprise.cli.doctor;

import dev.reprise.bindings.DriverSymbol;
import java.util.List;
import java.util.function.Predicate;

/**
 * Which functions of the bindings a driver has.
 *
 * @param total the functions of the bindings
 * @param missing those that the driver lacks, by name
 */
record EntryPointFacts(int total, List<Missing> missing) {

  /**
   * A function that the driver lacks.
   *
   * @param function its exported symbol
   * @param version the CUDA version that has it, as 1000 × major + 10 × minor
   * @param newer whether that is newer than the driver, so that it cannot be there
   */
  record Missing(String function, int version, boolean newer) {}

  /**
   * Looks every function up.
   *
   * @param driverVersion the driver's CUDA version; 0 if unknown
   * @param has whether the driver has an exported symbol
   */
  static EntryPointFacts collect(int driverVersion, Predicate<String> has) {
    List<Missing> missing =
        DriverSymbol.all().values().stream()
            .filter(symbol -> !has.test(symbol.exported()))
            .map(symbol ->
                new Missing(
                    symbol.exported(),
                    symbol.version(),
                    driverVersion != 0 && symbol.version() > driverVersion))
            .toList();
    return new EntryPointFacts(DriverSymbol.all().size(), missing);
  }

  int found() {
    return total - missing.size();
  }

  /** Those that a driver of this version should have. */
  List<Missing> unexpected() {
    return missing.stream().filter(function -> !function.newer()).toList();
  }
}
