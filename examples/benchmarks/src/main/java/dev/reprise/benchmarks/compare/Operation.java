package dev.reprise.benchmarks.compare;

/** What is compared, each in a table of its own. */
enum Operation {
  DOWNCALL("A call: `cuDriverGetVersion`", Driver.NVIDIA),
  LAUNCH("A launch: `cuLaunchKernel`, four arguments, one of them changed each time", Driver.STUB),
  GRAPH_LAUNCH("A graph launch: `cuGraphLaunch`", Driver.STUB),
  FIRST_CALL(
      "From the start of the process until `cuDriverGetVersion` has answered", Driver.NVIDIA),
  FIRST_LAUNCH(
      "From the start of the process until the first launch is made: library, device, stream, module, two buffers, launch",
      Driver.STUB);

  /** Which library is called. */
  enum Driver {
    /** NVIDIA's, which needs no device for what is asked here. */
    NVIDIA,
    /** That of {@code src/native}, which does nothing. */
    STUB
  }

  final String title;
  final Driver driver;

  Operation(String title, Driver driver) {
    this.title = title;
    this.driver = driver;
  }

  /** Whether it is measured from the start of the process, once in each. */
  boolean isStart() {
    return this == FIRST_CALL || this == FIRST_LAUNCH;
  }
}
