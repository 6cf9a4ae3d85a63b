package dev.reprise.cli.doctor;

/**
 * The JVM of this process.
 *
 * @param version its version with build
 * @param feature its feature version, such as 25
 * @param vendor who made it
 * @param home where it is
 * @param heapMaxBytes the most heap it may use
 * @param heapUsedBytes the heap in use now
 */
record JavaFacts(
    String version,
    int feature,
    String vendor,
    String home,
    long heapMaxBytes,
    long heapUsedBytes) {

  /** The feature version that Reprise needs. */
  static final int REQUIRED = 25;

  static JavaFacts collect() {
    Runtime runtime = Runtime.getRuntime();
    return new JavaFacts(
        Runtime.version().toString(),
        Runtime.version().feature(),
        System.getProperty("java.vendor", "unknown vendor"),
        System.getProperty("java.home", "unknown"),
        runtime.maxMemory(),
        runtime.totalMemory() - runtime.freeMemory());
  }

  boolean newEnough() {
    return feature >= REQUIRED;
  }
}
