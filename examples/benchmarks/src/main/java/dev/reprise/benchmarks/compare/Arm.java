package dev.reprise.benchmarks.compare;

import java.io.IOException;

/** One of the ways that are compared: a row of a table. */
interface Arm {

  /** What it does. */
  Operation operation();

  /** How, for the reader. */
  String name();

  /** Whether it is what others are compared with: plain C that makes the same driver calls. */
  default boolean isBaseline() {
    return false;
  }

  /** The driver calls it makes, the same for a baseline and what is compared with it. */
  String calls();

  /** Runs a process. */
  Run run(Plan plan) throws IOException, InterruptedException;

  /**
   * What a process gave.
   *
   * @param times one for each iteration: nanoseconds of an operation, milliseconds of a start
   * @param bytes allocated on the Java heap per operation, one for each iteration; empty if not
   *     measured
   */
  record Run(double[] times, double[] bytes) {}
}
